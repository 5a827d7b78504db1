import type { ProblemDetails } from "@lodge/contract/dashboard/inbox";
import { sql } from "kysely";
import type { Actor } from "../access/find-actor.ts";
import type { Transaction } from "../platform/database/database.ts";
import { publish } from "../platform/database/publish.ts";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { getProblem } from "./get-problem.ts";
import { readingLockSql } from "./read-events.ts";

/**
 * Makes other problems of its app part of a problem: their hashes become its own, and so do their cards. Its state stays.
 * Throws `problem_not_found` where one of them is none of the organisation's, or of another app.
 */
export async function mergeProblems(
  deps: Deps,
  actor: Actor,
  problemId: string,
  problemIds: readonly string[],
): Promise<ProblemDetails> {
  const { organisationId } = actor;
  const others = [...new Set(problemIds.map((id) => id.toLowerCase()))].filter((id) => id !== problemId.toLowerCase());
  await deps.db.transaction().execute(async (tx) => {
    await sql.raw(readingLockSql).execute(tx);
    const appId = await findApp(tx, organisationId, problemId);
    const found = await tx
      .selectFrom("problems")
      .select("id")
      .where("app_id", "=", appId)
      .where("id", "in", others)
      .execute();
    if (found.length < others.length) throw new Refusal("problem_not_found");
    await tx
      .updateTable("problem_hashes")
      .set({ problem_id: problemId })
      .where("app_id", "=", appId)
      .where("problem_id", "in", others)
      .execute();
    await tx
      .updateTable("report_cards")
      .set({ problem_id: problemId, subscriber_id: null })
      .where("app_id", "=", appId)
      .where("problem_id", "in", others)
      .where("ticket_id", "is not", null)
      .execute();
    await tx.deleteFrom("problems").where("app_id", "=", appId).where("id", "in", others).execute();
    await sumUp(tx, appId, problemId);
    await publish(tx, organisationId, { kind: "problem.changed", appId, problemId });
    await publish(tx, organisationId, { kind: "inbox.changed", appId });
  });
  return getProblem(deps, actor, problemId);
}

/**
 * Makes a problem of its own of some of a problem's hashes, open, and returns it. Throws `problem_not_found`, and
 * `hash_not_found` where one of them is none of the problem's, or none would be left.
 */
export async function splitProblem(
  deps: Deps,
  actor: Actor,
  problemId: string,
  hashes: readonly string[],
): Promise<ProblemDetails> {
  const { organisationId } = actor;
  const split = [...new Set(hashes.map((hash) => hash.toLowerCase()))];
  const madeId = await deps.db.transaction().execute(async (tx) => {
    await sql.raw(readingLockSql).execute(tx);
    const appId = await findApp(tx, organisationId, problemId);
    const own = await tx
      .selectFrom("problem_hashes")
      .select("hash")
      .where("app_id", "=", appId)
      .where("problem_id", "=", problemId)
      .execute();
    const known = new Set(own.map(({ hash }) => hash));
    if (split.some((hash) => !known.has(hash)) || split.length === known.size) throw new Refusal("hash_not_found");
    const { rows } = await sql<{ id: string }>`
      insert into problems (organisation_id, app_id, kind, title, culprit, first_seen_at, first_event_id, last_seen_at,
        last_event_id)
      select organisation_id, p.app_id, coalesce(latest.kind, p.kind), coalesce(latest.title, p.title), p.culprit,
        p.first_seen_at, p.first_event_id, p.last_seen_at, p.last_event_id
      from problems p
      left join lateral (
        select kind, title from event_summaries e where e.app_id = p.app_id and e.hash = ${split[0]}
        order by received_at desc, event_id desc limit 1) latest on true
      where p.app_id = ${appId} and p.id = ${problemId}
      returning id`.execute(tx);
    const made = rows[0]?.id ?? "";
    await tx
      .updateTable("problem_hashes")
      .set({ problem_id: made })
      .where("app_id", "=", appId)
      .where("hash", "in", split)
      .execute();
    for (const id of [problemId, made]) {
      await sumUp(tx, appId, id);
      await publish(tx, organisationId, { kind: "problem.changed", appId, problemId: id });
    }
    await publish(tx, organisationId, { kind: "inbox.changed", appId });
    return made;
  });
  return getProblem(deps, actor, madeId);
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

/** Makes the own counts of a problem the sums of its hashes. */
export async function sumUp(tx: Transaction, appId: string, problemId: string): Promise<void> {
  await sql`
    update problems set event_count = sums.event_count, first_seen_at = sums.first_seen_at, last_seen_at = sums.last_seen_at,
      install_count = sums.install_count, first_event_id = coalesce(first.event_id, first_event_id),
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

/** The first of the events of a problem in an order: of each of its hashes the first, and of those. */
const edge = (appId: string, problemId: string, order: ReturnType<typeof sql>) => sql`
  select e.event_id from problem_hashes h cross join lateral (
    select event_id, received_at from event_summaries e where e.app_id = h.app_id and e.hash = h.hash order by ${order} limit 1) e
  where h.app_id = ${appId} and h.problem_id = ${problemId} order by ${order} limit 1`;
