import type { Replay, ReplayQuery, StartReplay } from "@lodge/contract/dashboard/subscribers";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import { isUniqueViolation } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput, Refusal } from "../../platform/errors.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { readTime } from "../../platform/read-time.ts";
import { changeSubscribers } from "../subscribers/change-subscribers.ts";
import { readReplay } from "../subscribers/list-replays.ts";
import { readSubscriber } from "../subscribers/list-subscribers.ts";
import { idsAround, judgedSql } from "./replay-candidates.ts";
import { replaysPerSecond, replayTask } from "./replay-events.ts";

const dayMs = 86_400_000;

/** The number of events that a replay would send to a subscriber of the organisation, and how long it would take. */
export async function countReplay(
  deps: Deps,
  { organisationId }: Actor,
  subscriberId: string,
  { from, until = deps.clock.now().toISOString(), again }: ReplayQuery,
): Promise<{ eventCount: number; seconds: number }> {
  const range = rangeOf({ from, until });
  const { app } = await readSubscriber(deps, deps.db, organisationId, subscriberId);
  const eventCount = await count(deps, app.id, subscriberId, range, again === "true");
  return { eventCount, seconds: Math.ceil(eventCount / replaysPerSecond) };
}

/**
 * Starts to send the events of a time range to a subscriber of the organisation. Throws `subscriber_not_found`,
 * `subscriber_disabled`, `replay_running`, or `invalid_input` if the range ends before it starts.
 */
export async function startReplay(
  deps: Deps,
  actor: Actor,
  subscriberId: string,
  { from, until, again = false }: StartReplay,
): Promise<Replay> {
  const range = rangeOf({ from, until });
  const before = await readSubscriber(deps, deps.db, actor.organisationId, subscriberId);
  if (!before.enabled) throw new Refusal("subscriber_disabled");
  const eventCount = await count(deps, before.app.id, subscriberId, range, again);
  try {
    const { replay } = await changeSubscribers(deps, actor, "subscriber.replay_started", async (tx) => {
      const { id } = await tx
        .insertInto("replays")
        .values({
          app_id: before.app.id,
          subscriber_id: subscriberId,
          from_at: range.from,
          until_at: range.until,
          again,
          event_count: eventCount,
          position: idsAround(range.from, range.until).first,
          started_by: actor.name,
        })
        .returning("id")
        .executeTakeFirstOrThrow();
      await addJob(tx, replayTask, { replayId: id });
      return { subscriber: before, replay: await readReplay(tx, actor.organisationId, id) };
    });
    deps.announceJobs();
    return replay;
  } catch (error) {
    const isTaken = error instanceof Refusal && error.code === "subscriber_exists";
    throw isTaken || isUniqueViolation(error) ? new Refusal("replay_running") : error;
  }
}

/** Cancels a replay of the organisation. Events that it has queued are still sent. Throws `replay_not_found`. */
export async function cancelReplay({ db }: Deps, { organisationId, name }: Actor, replayId: string): Promise<Replay> {
  await sql`update replays set state = 'cancelled', ended_at = now(), ended_by = ${name}
    from subscribers
    where replays.id = ${replayId} and state = 'running' and subscribers.app_id = replays.app_id
      and subscribers.id = subscriber_id and subscribers.organisation_id = ${organisationId} and subscribers.deleted_at is null`.execute(
    db,
  );
  return readReplay(db, organisationId, replayId);
}

type Range = { from: Date; until: Date };

/** Without a start, the range is the day before its end. */
function rangeOf({ from, until }: { from?: string | undefined; until: string }): Range {
  const end = readTime("/until", until);
  const range = { from: from === undefined ? new Date(end.getTime() - dayMs) : readTime("/from", from), until: end };
  if (range.until <= range.from) throw invalidInput([{ path: "/until", message: "must be later than from" }]);
  return range;
}

async function count({ db }: Deps, appId: string, subscriberId: string, { from, until }: Range, again: boolean) {
  const { first, last } = idsAround(from, until);
  const judged = sql.raw(judgedSql("scanned", "subscriber", "(select again from asked)"));
  const { rows } = await sql<{ count: number }>`with asked as (
      select ${again}::boolean as again
    ), subscriber as materialized (
      select id, filter from subscribers where app_id = ${appId} and id = ${subscriberId}
    ), scanned as (
      select app_id, id from events
      where app_id = ${appId} and id > ${first} and id < ${last} and received_at >= ${from} and received_at < ${until}
    )
    select count(*) filter (where is_wanted)::integer as count from (${judged}) judged`.execute(db);
  return rows[0]?.count ?? 0;
}
