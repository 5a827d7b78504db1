import type { ProblemDetails } from "@lodge/contract/dashboard/inbox";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { readError } from "../stacks/read-error.ts";
import { announceCards } from "./announce-cards.ts";
import { getProblem } from "./get-problem.ts";
import { culpritOf } from "./group-report.ts";
import { groupedLengthMax } from "./grouping.ts";
import { holdReading } from "./read-events.ts";
import { parseEnvelope } from "./readable.ts";
import { sumOfUsers } from "./thin-users.ts";

/**
 * Merges other problems of an app into a problem, with their hashes and cards, including cards that are being filed.
 * Its state stays. Throws `problem_not_found` if one of them belongs to another organisation or app.
 */
export async function mergeProblems(
  deps: Deps,
  actor: Actor,
  problemId: string,
  problemIds: readonly string[],
): Promise<ProblemDetails> {
  const others = [...new Set(problemIds.map((id) => id.toLowerCase()))].filter((id) => id !== problemId.toLowerCase());
  if (others.length === 0) return getProblem(deps, actor, problemId);
  return regroup(deps, actor, problemId, async (tx, appId) => {
    const found = await tx
      .selectFrom("problems")
      .select("id")
      .where("app_id", "=", appId)
      .where("id", "in", others)
      .execute();
    if (found.length < others.length) throw new Refusal("problem_not_found");
    await absorbProblems(tx, appId, problemId, others);
    return [problemId, ...others];
  });
}

/** Moves the hashes and cards of other problems to a problem, and deletes the others. */
export async function absorbProblems(
  tx: Transaction,
  appId: string,
  problemId: string,
  others: readonly string[],
): Promise<void> {
  await tx
    .updateTable("problem_hashes")
    .set({ problem_id: problemId })
    .where("app_id", "=", appId)
    .where("problem_id", "in", others)
    .execute();
  await tx
    .updateTable("report_cards")
    .set({
      problem_id: problemId,
      subscriber_id: null,
      // An earlier reopening of the problem did not concern these cards.
      returned_at: sql`(select reopened_at from problems where app_id = ${appId} and id = ${problemId})`,
    })
    .where("app_id", "=", appId)
    .where("problem_id", "in", others)
    .execute();
  await giveBoards(tx, appId, [problemId]);
  await tx.deleteFrom("problems").where("app_id", "=", appId).where("id", "in", others).execute();
}

/**
 * Splits some hashes of a problem off into a new, open problem, with the cards of their reports, and returns it. Throws
 * `problem_not_found`, or `hash_not_found` if a hash is not the problem's or no hash would be left.
 */
export async function splitProblem(
  deps: Deps,
  actor: Actor,
  problemId: string,
  hashes: readonly string[],
): Promise<ProblemDetails> {
  const split = [...new Set(hashes.map((hash) => hash.toLowerCase()))];
  return regroup(deps, actor, problemId, async (tx, appId) => {
    const own = await tx
      .selectFrom("problem_hashes")
      .select("hash")
      .where("app_id", "=", appId)
      .where("problem_id", "=", problemId)
      .execute();
    const known = new Set(own.map(({ hash }) => hash));
    if (split.some((hash) => !known.has(hash)) || split.length === known.size) throw new Refusal("hash_not_found");
    const latest = await findLatest(tx, appId, split);
    const { rows } = await sql<{ id: string }>`
      insert into problems (organisation_id, app_id, kind, title, culprit, first_seen_at, first_event_id, last_seen_at,
        last_event_id)
      select organisation_id, app_id, coalesce(${latest?.kind ?? null}, kind), coalesce(${latest?.title ?? null}, title),
        ${latest?.culprit ?? null}, first_seen_at, first_event_id, last_seen_at, last_event_id
      from problems where app_id = ${appId} and id = ${problemId}
      returning id`.execute(tx);
    const made = rows[0]?.id ?? "";
    await tx
      .updateTable("problem_hashes")
      .set({ problem_id: made })
      .where("app_id", "=", appId)
      .where("hash", "in", split)
      .execute();
    await tx
      .updateTable("report_cards")
      .set({ problem_id: made })
      .where("app_id", "=", appId)
      .where("problem_id", "=", problemId)
      .where("hash", "in", split)
      .execute();
    await giveBoards(tx, appId, [made, problemId]);
    return [made, problemId];
  });
}

/** Makes one card of each board the one that the board filed for the problem, so that it files no other. */
async function giveBoards(tx: Transaction, appId: string, problemIds: readonly string[]): Promise<void> {
  await sql`
    update report_cards set subscriber_id = first.subscriber_id
    from (
      select distinct on (c.problem_id, d.subscriber_id) c.id, d.subscriber_id from report_cards c
      join deliveries d on d.app_id = c.app_id and d.id = c.delivery_id
      where c.app_id = ${appId} and c.problem_id = any(${problemIds}::uuid[]) and not exists (
        select from report_cards has where has.app_id = c.app_id and has.problem_id = c.problem_id
          and has.subscriber_id = d.subscriber_id)
      order by c.problem_id, d.subscriber_id, c.ticket_id is null, c.id
    ) first
    where report_cards.app_id = ${appId} and report_cards.id = first.id`.execute(tx);
}

/** The latest event of some hashes, which gives their problem its title; undefined if all of them are gone. */
async function findLatest(tx: Transaction, appId: string, hashes: readonly string[]) {
  const { rows } = await sql<{ kind: string; title: string; envelope: Buffer }>`
    select latest.kind, latest.title, events.envelope from unnest(${hashes}::uuid[]) as split(hash)
    cross join lateral (
      select kind, title, event_id, received_at from event_summaries e
      where e.app_id = ${appId} and e.hash = split.hash order by e.received_at desc, e.event_id desc limit 1
    ) latest
    join events on events.app_id = ${appId} and events.id = latest.event_id
    order by latest.received_at desc, latest.event_id desc limit 1`.execute(tx);
  const [latest] = rows;
  if (!latest) return undefined;
  const culprit = culpritOf(readError(parseEnvelope(latest.envelope), groupedLengthMax));
  return { kind: latest.kind, title: latest.title, culprit };
}

/**
 * Changes the hashes of a problem of the organisation while nobody counts events. `change` returns the problems to sum
 * up again and announce; the first one is returned. Throws `problem_not_found`.
 */
async function regroup(
  deps: Deps,
  actor: Actor,
  problemId: string,
  change: (tx: Transaction, appId: string) => Promise<[string, ...string[]]>,
): Promise<ProblemDetails> {
  const { organisationId } = actor;
  const { appId, touched } = await deps.db.transaction().execute(async (tx) => {
    const appId = await findApp(tx, organisationId, problemId);
    await holdReading(tx, appId);
    await findApp(tx, organisationId, problemId); // it may have been merged in the meantime
    const touched = await change(tx, appId);
    for (const id of touched) {
      await sumUp(tx, appId, id);
      await publish(tx, organisationId, { kind: "problem.changed", appId, problemId: id });
    }
    return { appId, touched };
  });
  await announceCards(
    deps,
    touched.map((id) => ({ app_id: appId, problem_id: id })),
  );
  return getProblem(deps, actor, touched[0]);
}

async function findApp(tx: Transaction, organisationId: string, problemId: string): Promise<string> {
  const problem = await tx
    .selectFrom("problems")
    .select("app_id")
    .where("organisation_id", "=", organisationId)
    .where("id", "=", problemId)
    .executeTakeFirst();
  if (!problem) throw new Refusal("problem_not_found");
  return problem.app_id;
}

/** Sets the counts of a problem to the sums of its hashes. */
export async function sumUp(tx: Transaction, appId: string, problemId: string): Promise<void> {
  await sql`
    update problems set event_count = sums.event_count, first_seen_at = sums.first_seen_at, last_seen_at = sums.last_seen_at,
      install_count = sums.install_count, ${sumOfUsers}, first_event_id = coalesce(first.event_id, first_event_id),
      last_event_id = coalesce(latest.event_id, last_event_id),
      first_version = sums.first_version, last_version = sums.last_version
    from (
      select sum(event_count) as event_count, min(first_seen_at) as first_seen_at, max(last_seen_at) as last_seen_at,
        (select count(distinct install) from problem_hashes h join problem_installs i on i.app_id = h.app_id and i.hash = h.hash
          where h.app_id = ${appId} and h.problem_id = ${problemId}) as install_count,
        (select substr(facet, 9) from problem_hashes h join problem_facets f on f.app_id = h.app_id and f.hash = h.hash
          where h.app_id = ${appId} and h.problem_id = ${problemId} and starts_with(facet, 'version:')
          order by f.first_seen_at limit 1) as first_version,
        (select substr(facet, 9) from problem_hashes h join problem_facets f on f.app_id = h.app_id and f.hash = h.hash
          where h.app_id = ${appId} and h.problem_id = ${problemId} and starts_with(facet, 'version:')
          order by f.last_seen_at desc limit 1) as last_version
      from problem_hashes where app_id = ${appId} and problem_id = ${problemId}
    ) sums
    left join lateral (${edge(appId, problemId, sql`received_at, event_id`)}) first on true
    left join lateral (${edge(appId, problemId, sql`received_at desc, event_id desc`)}) latest on true
    where app_id = ${appId} and id = ${problemId}`.execute(tx);
}

/** The first event of a problem in an order: takes the first of each hash, then the first of those. */
const edge = (appId: string, problemId: string, order: ReturnType<typeof sql>) => sql`
  select e.event_id from problem_hashes h cross join lateral (
    select event_id, received_at from event_summaries e where e.app_id = h.app_id and e.hash = h.hash order by ${order} limit 1) e
  where h.app_id = ${appId} and h.problem_id = ${problemId} order by ${order} limit 1`;
