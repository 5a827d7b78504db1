import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { moveEvents, readTexts, type Texts } from "./move-events.ts";
import { absorbProblems, sumUp } from "./regroup-problems.ts";
import { takeStep } from "./regrouping-rows.ts";

/** The events that one transaction moves. */
const eventsPerStep = 50;

/** The data needed to undo one step. */
export type Undo = {
  /** The hash that the step retired: new reports no longer match it. */
  retired?: string;
  /** The hash and the problem that the step created. */
  madeHash?: string;
  madeProblem?: string;
  /** The problem that was merged into another one. */
  merged?: { row: Record<string, unknown>; hashes: string[]; cards: Card[] };
  moved?: { from: string; to: string; eventIds: string[] };
};
type Card = { id: string; subscriber_id: string | null; returned_at: string | null };

type Target = {
  from_hash: string;
  to_hash: string;
  is_main: boolean;
  rule: string;
  strings: string[];
  kind: string;
  title: string;
  culprit: string | null;
  seen_at: Date;
  event_ids: string[];
};

/** A step that was taken, with the problems that it changed. */
export type Step = { problemIds: string[] };

/**
 * Applies the next target of a regrouping. First every hash is linked to its main target, which merges problems; then
 * events are split off. The latest targets come first, so that a problem that others are merged into is rarely merged
 * itself. Returns undefined when everything is applied.
 */
export async function applyNext(deps: Deps, appId: string): Promise<Step | undefined> {
  const [target] = await findNext(deps, appId);
  if (!target) {
    await takeStep(deps.db, appId, "applying", async (tx) => {
      const [left] = await findNext({ db: tx }, appId);
      if (left) return;
      await sql`
        update regroupings set state = 'applied', applied_at = ${deps.clock.now()} where app_id = ${appId}`.execute(tx);
    });
    return undefined;
  }
  const eventIds = target.event_ids.slice(0, eventsPerStep);
  const texts = target.is_main ? [] : await readTexts(deps, appId, eventIds);
  return takeStep(deps.db, appId, "applying", async (tx) => {
    const [now] = await findNext({ db: tx }, appId);
    // Another worker was faster.
    if (now?.from_hash !== target.from_hash || now.to_hash !== target.to_hash) return { problemIds: [] };
    if (now.event_ids[0] !== eventIds[0]) return { problemIds: [] };
    const problemId = await problemOf(tx, appId, target.from_hash);
    const taken =
      problemId === undefined
        ? undefined
        : target.is_main
          ? await link(tx, appId, target, problemId)
          : await splitOff(tx, appId, { ...target, event_ids: eventIds }, problemId, texts);
    await advance(tx, appId, target, eventIds.length);
    if (!taken) return { problemIds: [] };
    await sql`
      insert into regroup_steps (app_id, step, undo)
      select ${appId}::uuid, coalesce(max(step), 0) + 1, ${JSON.stringify(taken.undo)}::jsonb
      from regroup_steps where app_id = ${appId}`.execute(tx);
    for (const id of taken.problemIds) await sumUp(tx, appId, id);
    return { problemIds: taken.problemIds };
  });
}

type Taken = Step & { undo: Undo };

async function findNext({ db }: { db: Deps["db"] | Transaction }, appId: string): Promise<Target[]> {
  const { rows } = await sql<Target>`
    select t.from_hash, t.to_hash, t.is_main, t.rule, t.strings, t.kind, t.title, t.culprit, t.seen_at, t.event_ids
    from regroup_targets t join regroupings r using (app_id)
    where t.app_id = ${appId} and r.state = 'applying'
    order by t.is_main desc, t.seen_at desc, t.from_hash, t.to_hash limit 1`.execute(db);
  return rows;
}

/** Deletes a target that is applied, or its events that are. */
async function advance(tx: Transaction, appId: string, { from_hash, to_hash }: Target, count: number): Promise<void> {
  const target = sql`app_id = ${appId} and from_hash = ${from_hash} and to_hash = ${to_hash}`;
  const { numAffectedRows } = await sql`
    delete from regroup_targets where ${target} and cardinality(event_ids) <= ${count}`.execute(tx);
  if (numAffectedRows)
    await sql`update regroupings set done_count = done_count + 1 where app_id = ${appId}`.execute(tx);
  else await sql`update regroup_targets set event_ids = event_ids[${count + 1}:] where ${target}`.execute(tx);
}

async function problemOf(tx: Transaction, appId: string, hash: string): Promise<string | undefined> {
  const found = await tx
    .selectFrom("problem_hashes")
    .select("problem_id")
    .where("app_id", "=", appId)
    .where("hash", "=", hash)
    .executeTakeFirst();
  return found?.problem_id;
}

async function addHash(tx: Transaction, appId: string, target: Target, problemId: string): Promise<void> {
  const { to_hash, rule, strings, seen_at } = target;
  await sql`
    insert into problem_hashes (app_id, hash, problem_id, rule, rule_version, strings, first_seen_at, last_seen_at)
    values (${appId}, ${to_hash}, ${problemId}, ${rule}, 2, ${JSON.stringify(strings)}::jsonb, ${seen_at}, ${seen_at})`.execute(
    tx,
  );
}

/** Retires a hash in favour of its main target, and merges the problems of both. */
async function link(tx: Transaction, appId: string, target: Target, problemId: string): Promise<Taken> {
  const { from_hash: hash, to_hash } = target;
  await sql`update problem_hashes set retired = true where app_id = ${appId} and hash = ${hash}`.execute(tx);
  const known = await problemOf(tx, appId, to_hash);
  if (known === undefined) {
    await addHash(tx, appId, target, problemId);
    return { problemIds: [problemId], undo: { retired: hash, madeHash: to_hash } };
  }
  if (known === problemId) return { problemIds: [], undo: { retired: hash } };
  const { rows } = await sql<{ id: string }>`
    select id from problems where app_id = ${appId} and id = any(${[known, problemId]}::uuid[])
    order by last_seen_at desc, id`.execute(tx);
  const [kept = known, gone = problemId] = rows.map(({ id }) => id);
  const merged = await snapshot(tx, appId, gone);
  await absorbProblems(tx, appId, kept, [gone]);
  return { problemIds: [kept], undo: { retired: hash, merged } };
}

async function snapshot(tx: Transaction, appId: string, id: string): Promise<NonNullable<Undo["merged"]>> {
  const { rows } = await sql<NonNullable<Undo["merged"]>>`
    select to_jsonb(p) as row,
      array(select hash from problem_hashes h where h.app_id = p.app_id and h.problem_id = p.id) as hashes,
      coalesce((select jsonb_agg(jsonb_build_object('id', c.id, 'subscriber_id', c.subscriber_id, 'returned_at', c.returned_at))
        from report_cards c where c.app_id = p.app_id and c.problem_id = p.id), '[]') as cards
    from problems p where p.app_id = ${appId} and p.id = ${id}`.execute(tx);
  if (!rows[0]) throw new Error("a problem that has hashes is gone");
  return rows[0];
}

/** Moves events to the problem of another hash, or to a new problem in the same state. */
async function splitOff(
  tx: Transaction,
  appId: string,
  target: Target,
  problemId: string,
  texts: Texts,
): Promise<Taken | undefined> {
  const { from_hash: from, to_hash: to, event_ids: eventIds } = target;
  const { rows: left } = await sql`
    select from event_summaries where app_id = ${appId} and hash = ${from} and event_id = any(${eventIds}::uuid[])
    limit 1`.execute(tx);
  if (left.length === 0) return undefined; // retention has deleted them
  const undo: Undo = { moved: { from, to, eventIds } };
  let owner = await problemOf(tx, appId, to);
  if (owner === undefined) {
    owner = await makeProblem(tx, appId, target, problemId);
    await addHash(tx, appId, target, owner);
    Object.assign(undo, { madeHash: to, madeProblem: owner });
  }
  await moveEvents(tx, appId, { from, to, eventIds }, texts);
  return { problemIds: [...new Set([problemId, owner])], undo };
}

async function makeProblem(tx: Transaction, appId: string, target: Target, like: string): Promise<string> {
  const { kind, title, culprit } = target;
  const { rows } = await sql<{ id: string }>`
    insert into problems (organisation_id, app_id, kind, title, culprit, state, state_changed_at, state_changed_by_user_id,
      resolved_version, resolved_version_key, resolved_in_next, muted_until, assignee_user_id, first_seen_at, first_event_id,
      last_seen_at, last_event_id)
    select organisation_id, app_id, ${kind}, ${title}, ${culprit}, state, state_changed_at, state_changed_by_user_id,
      resolved_version, resolved_version_key, resolved_in_next, muted_until, assignee_user_id, first_seen_at, first_event_id,
      last_seen_at, last_event_id
    from problems where app_id = ${appId} and id = ${like}
    returning id`.execute(tx);
  return rows[0]?.id ?? "";
}
