import type { NoticeKind } from "@lodge/contract/dashboard/notices";
import { CompiledQuery, sql } from "kysely";
import { type Database, isOfStatement, type Transaction } from "../../platform/database/database.ts";
import { preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import { addJobsSql } from "../../platform/jobs/jobs.ts";
import { isOutage } from "../../platform/outage.ts";
import { type Repeating, repeat } from "../../platform/repeat.ts";
import { followersOf } from "./followers.ts";
import { type Happening, happeningInWords } from "./happening-in-words.ts";
import { type HookPost, hookTask } from "./post-happening.ts";

const pollMs = 1_000;
const batchMax = 100;
/** The time for which a happening that takes the database too long is retried. */
const triedMsMax = 86_400_000;

/** The kinds that are mailed to admins by default: alerts of the organisation. */
export const adminKinds = [
  "run_held",
  "subscriber_disabled",
  "delivery_dead",
  "quota_warning",
  "organisation_suspended",
  "disk_low",
] as const satisfies NoticeKind[];

const noticeKindOf = {
  "subscriber.disabled": "subscriber_disabled",
  "delivery.dead": "delivery_dead",
  "quota.warning": "quota_warning",
  "organisation.suspended": "organisation_suspended",
  "disk.low": "disk_low",
  "run.held": "run_held",
  "run.asked": "run_asked",
  "run.finished": "run_finished",
  "problem.new": "problem_new",
  "problem.back": "problem_back",
  "problem.spike": "problem_spike",
} as const satisfies Record<Happening["kind"], NoticeKind>;

/** The kinds that the organisation's webhooks receive; the rest is only for people. */
const hookKinds: readonly Happening["kind"][] = [
  "subscriber.disabled",
  "delivery.dead",
  "quota.warning",
  "organisation.suspended",
  "run.finished",
  "problem.new",
  "problem.back",
  "problem.spike",
];

const findUntold = preparedStatement({
  name: "find_untold_happenings",
  parameters: {},
  row: { found: "boolean" },
  text: () => "select exists (select from happenings where told_at is null) as found",
});

/** Sends notifications of happenings within a second or two, until it is stopped. Runs in each worker. */
export const keepTelling = (deps: Deps): Repeating =>
  repeat(
    pollMs,
    async () => {
      const [untold] = await findUntold(deps.pool, {});
      if (untold?.found) await tellHappenings(deps);
    },
    (error) => deps.log.warn({ err: error }, "could not create notifications"),
  );

/**
 * Notifies people and the webhooks of their organisations of happenings, at most 100 at a time and each once: admins of
 * alerts, followers of the ticket of runs as well, and all members of problems. Organisations take turns. Each
 * happening has its own transaction. One that fails is logged and skipped; if it takes the database too long, its
 * organisation waits until the next round, so that it does not hold up others.
 */
export async function tellHappenings(deps: Deps): Promise<void> {
  const at = deps.clock.now();
  const { rows: untold } = await sql<{ organisationId: string; id: string; createdAt: Date }>`
    select organisation_id as "organisationId", id, created_at as "createdAt" from (
      select *, row_number() over (partition by organisation_id order by id) as round
      from happenings where told_at is null) waiting
    order by round, id limit ${batchMax}`.execute(deps.db);
  const waiting = new Set<string>();
  let told = 0;
  for (const { organisationId, id, createdAt } of untold) {
    if (waiting.has(organisationId)) continue;
    const userIds = await deps.db
      .transaction()
      .execute((tx) => tellOne(tx, organisationId, id, at))
      .catch(async (error: unknown) => {
        if (isOutage(error) && !isOfStatement(error)) throw error;
        deps.log.error({ err: error, organisationId, happeningId: id }, "cannot create notifications");
        if (isOutage(error) && at.getTime() - createdAt.getTime() < triedMsMax) waiting.add(organisationId);
        else await noteTold(deps.db, organisationId, id, at);
        return [];
      });
    for (const userId of userIds) deps.announce(organisationId, { kind: "notices.changed", userId });
    told += userIds.length;
  }
  if (told > 0) deps.announceJobs();
}

/** Returns the notified people; none if another worker notifies them. */
async function tellOne(tx: Transaction, organisationId: string, id: string, at: Date): Promise<string[]> {
  const { rows } = await sql<Happening>`
    select happenings.organisation_id as "organisationId", happenings.id, kind, details,
      happenings.created_at as "createdAt", users.name as "agentName"
    from happenings
    join organisations on organisations.id = happenings.organisation_id
    join users on users.id = organisations.agent_user_id
    where happenings.organisation_id = ${organisationId} and happenings.id = ${id} and told_at is null
    for no key update of happenings skip locked`.execute(tx);
  const [happening] = rows;
  if (!happening) return [];
  const userIds = await tell(tx, happening);
  if (hookKinds.includes(happening.kind)) await queuePosts(tx, happening);
  await noteTold(tx, organisationId, id, at);
  return userIds;
}

const noteTold = (db: Database, organisationId: string, id: string, at: Date) =>
  db
    .updateTable("happenings")
    .set({ told_at: at })
    .where("organisation_id", "=", organisationId)
    .where("id", "=", id)
    .execute();

/** Returns the notified people. */
async function tell(tx: Transaction, { organisationId, kind, details, createdAt, agentName }: Happening) {
  if (details.state === "cancelled") return []; // the person who caused it knows already
  const noticeKind = noticeKindOf[kind];
  const ticketId = details.ticketId ?? null;
  const isForAdmins = adminKinds.some((known) => known === noticeKind);
  const isForAll = kind.startsWith("problem.");
  const { rows } = await sql<{ user_id: string }>`
    insert into notices (organisation_id, user_id, kind, ticket_id, app_id, problem_id, actor_name, text, created_at)
    select members.organisation_id, members.user_id, ${noticeKind}, ${ticketId}, ${details.appId ?? null},
      ${details.problem?.id ?? null}, ${ticketId === null ? "Lodge" : agentName}, ${happeningInWords({ kind, details })}, ${createdAt}
    from members join organisations on organisations.id = members.organisation_id
    where members.organisation_id = ${organisationId} and members.user_id <> organisations.agent_user_id
      and (${isForAll} or ${isForAdmins} and members.role in ('owner', 'admin') or members.user_id = ${details.requestedByUserId ?? null}
        or members.user_id in (${followersOf(organisationId, ticketId)}))
      and (${ticketId}::uuid is null or exists (
        select from tickets where organisation_id = ${organisationId} and id = ${ticketId} and column_id is not null))
    returning user_id`.execute(tx);
  if (isForAdmins) {
    await sql`
      insert into notice_choices (organisation_id, user_id, mail, sent_until)
      select organisation_id, user_id, ${[...adminKinds]}::text[], ${createdAt}::timestamptz - interval '1 ms' from members
      where organisation_id = ${organisationId} and role in ('owner', 'admin')
        and user_id = any(${rows.map(({ user_id }) => user_id)}::uuid[])
      on conflict do nothing`.execute(tx);
  }
  return rows.map(({ user_id }) => user_id);
}

async function queuePosts(tx: Transaction, { organisationId, id }: Happening) {
  const hooks = await tx
    .selectFrom("organisation_hooks")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("enabled", "=", true)
    .execute();
  for (const hook of hooks) {
    const post: HookPost = { organisationId, hookId: hook.id, happeningId: id };
    await tx.executeQuery(CompiledQuery.raw(addJobsSql(hookTask, "select $1::json, now()"), [JSON.stringify(post)]));
  }
}
