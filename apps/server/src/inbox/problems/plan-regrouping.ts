import type { RegroupingPreview } from "@lodge/contract/dashboard/regrouping";
import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import { isOutage } from "../../platform/outage.ts";
import { StoreError } from "../../platform/store/store.ts";
import { type Grouping, groupedLengthMax } from "./grouping.ts";
import { readOriginalError } from "./original-error.ts";
import { parseEnvelope } from "./readable.ts";
import { oldHashes, takeStep } from "./regrouping-rows.ts";
import { summariseEvent } from "./summarise-event.ts";

/** The latest events of a hash that are regrouped, and the groups into which it may be split. */
const eventsOfHashMax = 1_000;
const targetsOfHashMax = 20;
const pageMax = 20;
const examplesMax = 5;
const titlesMax = 3;
const splitsMax = 50_000;

type Target = {
  grouping: Grouping;
  kind: string;
  title: string;
  culprit: string | null;
  seenAt: Date;
  eventIds: string[];
};

/** Plans the next hash. After the last one, sums up what would change. Returns whether there is more to plan. */
export async function planNext(deps: Deps, appId: string): Promise<boolean> {
  const regrouping = await deps.db
    .selectFrom("regroupings")
    .select(["position", "done_count", "total_count"])
    .where("app_id", "=", appId)
    .where("state", "=", "planning")
    .executeTakeFirst();
  if (!regrouping) return false;
  const { position } = regrouping;
  const { rows } = await sql<{ hash: string }>`
    select h.hash from ${oldHashes(appId)} and (${position}::uuid is null or h.hash > ${position})
    order by h.hash limit 1`.execute(deps.db);
  const hash = regrouping.done_count < regrouping.total_count ? rows[0]?.hash : undefined;
  if (hash === undefined) {
    await finish(deps, appId);
    return false;
  }
  const targets = await findTargets(deps, appId, hash);
  const isNew = await takeStep(deps.db, appId, "planning", async (tx) => {
    const { numAffectedRows } = await sql`
      update regroupings set position = ${hash}, done_count = done_count + 1
      where app_id = ${appId} and position is not distinct from ${position}`.execute(tx);
    if (!numAffectedRows) return false; // another worker has planned it
    if (targets.length > 0)
      await tx
        .insertInto("regroup_targets")
        .values(targetRows(appId, hash, targets))
        .execute();
    return true;
  });
  return isNew ?? false;
}

const targetRows = (appId: string, hash: string, targets: readonly Target[]) =>
  targets.map(({ grouping, kind, title, culprit, seenAt, eventIds }, index) => ({
    app_id: appId,
    from_hash: hash,
    to_hash: grouping.hash,
    is_main: index === 0,
    rule: grouping.rule,
    strings: JSON.stringify(grouping.strings),
    kind,
    title,
    culprit,
    seen_at: seenAt,
    event_count: eventIds.length,
    event_ids: index === 0 ? [] : eventIds,
  }));

/** The groupings of the latest events of a hash by the current rules, the largest group first. */
async function findTargets(deps: Deps, appId: string, hash: string): Promise<Target[]> {
  const targets = new Map<string, Target>();
  let looked = 0;
  let last: { received_at: Date; event_id: string } | undefined;
  while (looked < eventsOfHashMax) {
    const { rows } = await sql<{ event_id: string; received_at: Date }>`
      select event_id, received_at from event_summaries where app_id = ${appId} and hash = ${hash}
        and (${last?.event_id ?? null}::uuid is null
          or (received_at, event_id) < (${last?.received_at ?? null}::timestamptz, ${last?.event_id ?? null}::uuid))
      order by received_at desc, event_id desc limit ${sql.lit(pageMax)}`.execute(deps.db);
    for (const { event_id: eventId, received_at: receivedAt } of rows) {
      const summary = await readGrouping(deps, appId, eventId);
      if (!summary?.grouping) continue;
      const { grouping, kind, title, culprit } = summary;
      const known = targets.get(grouping.hash);
      if (known) known.eventIds.push(eventId);
      else targets.set(grouping.hash, { grouping, kind, title, culprit, seenAt: receivedAt, eventIds: [eventId] });
    }
    looked += rows.length;
    last = rows.at(-1);
    if (rows.length < pageMax) break;
  }
  return [...targets.values()]
    .sort((one, other) => other.eventIds.length - one.eventIds.length || other.seenAt.getTime() - one.seenAt.getTime())
    .slice(0, targetsOfHashMax);
}

/**
 * Reads an event as the inbox does now. Undefined if its content is gone or cannot be read. Reads one at a time, since
 * an event may be large.
 */
async function readGrouping(deps: Deps, appId: string, eventId: string) {
  const { rows } = await sql<{ envelope: Buffer }>`
    select envelope from events where app_id = ${appId} and id = ${eventId}`.execute(deps.db);
  if (!rows[0]) return undefined;
  await new Promise(setImmediate);
  try {
    const envelope = parseEnvelope(rows[0].envelope);
    const { read } = await readOriginalError(deps, appId, envelope, groupedLengthMax);
    return summariseEvent(appId, envelope, 0, read);
  } catch (error) {
    if (isOutage(error) || error instanceof StoreError) throw error;
    deps.log.warn({ err: error, appId, eventId }, "an event keeps its grouping: it could not be read");
    return undefined;
  }
}

async function finish(deps: Deps, appId: string): Promise<void> {
  const preview = await sumUpPlan(deps, appId);
  await sql`
    update regroupings set state = 'planned', preview = ${JSON.stringify(preview)}
    where app_id = ${appId} and state = 'planning'`.execute(deps.db);
}

/**
 * The effects of a plan: problems are merged if their hashes get the same target, or the hash of a problem of the
 * current rules.
 */
async function sumUpPlan({ db }: Deps, appId: string): Promise<RegroupingPreview> {
  const { rows: mains } = await sql<{ id: string; to_hash: string; known: string | null }>`
    select h.problem_id as id, t.to_hash, known.problem_id as known
    from regroup_targets t
    join problem_hashes h on h.app_id = t.app_id and h.hash = t.from_hash
    left join problem_hashes known on known.app_id = t.app_id and known.hash = t.to_hash
    where t.app_id = ${appId} and t.is_main`.execute(db);
  const parents = new Map<string, string>();
  const rootOf = (id: string): string => {
    let root = id;
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next;
    return root;
  };
  const ownerOf = new Map<string, string>();
  for (const { id, to_hash, known } of mains) {
    const [root, other] = [rootOf(id), rootOf(known ?? ownerOf.get(to_hash) ?? id)];
    if (root !== other) parents.set(root, other);
    ownerOf.set(to_hash, other);
  }
  const mergedOf = Map.groupBy(parents.keys(), rootOf);
  const { rows: sides } = await sql<{ id: string; to_hash: string; title: string; known: string | null }>`
    select h.problem_id as id, t.to_hash, t.title || coalesce(', in ' || t.culprit, '') as title, known.problem_id as known from regroup_targets t
    join problem_hashes h on h.app_id = t.app_id and h.hash = t.from_hash
    left join problem_hashes known on known.app_id = t.app_id and known.hash = t.to_hash
    where t.app_id = ${appId} and not t.is_main order by t.event_count desc limit ${sql.lit(splitsMax)}`.execute(db);
  const apart = sides.filter(({ id, to_hash, known }) => {
    const owner = known ?? ownerOf.get(to_hash);
    return owner === undefined || rootOf(owner) !== rootOf(id);
  });
  const splitOf = Map.groupBy(apart, ({ id }) => rootOf(id));
  const made = new Set(apart.filter((side) => !(side.known ?? ownerOf.get(side.to_hash))).map((side) => side.to_hash));
  const largest = [...mergedOf].sort(([, one], [, other]) => other.length - one.length).slice(0, examplesMax);
  const splits = [...splitOf].slice(0, examplesMax);
  const shown = [...largest.flatMap(([id, ids]) => [id, ...ids.slice(0, titlesMax)]), ...splits.map(([id]) => id)];
  const { rows: titles } = await sql<{ id: string; title: string }>`
    select id, title from problems where app_id = ${appId} and id = any(${shown}::uuid[])`.execute(db);
  const titleOf = new Map(titles.map(({ id, title }) => [id, title]));
  const titlesOf = (ids: readonly string[]) => ids.slice(0, titlesMax).flatMap((id) => titleOf.get(id) ?? []);
  return {
    mergedCount: parents.size,
    splitCount: splitOf.size,
    newCount: made.size,
    merges: largest.map(([id, ids]) => ({ title: titleOf.get(id) ?? "", titles: titlesOf(ids) })),
    splits: splits.map(([id, parts]) => ({
      title: titleOf.get(id) ?? "",
      titles: parts.slice(0, titlesMax).map(({ title }) => title),
    })),
  };
}
