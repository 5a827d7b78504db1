import type { Replay } from "@lodge/contract/dashboard/subscribers";
import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import { Refusal } from "../../platform/errors.ts";

const replaysMax = 10;

type Row = {
  id: string;
  state: Replay["state"];
  from_at: Date;
  until_at: Date;
  again: boolean;
  event_count: number;
  sent_count: number;
  started_by: string;
  started_at: Date;
  ended_at: Date | null;
  ended_by: string | null;
};

/** The latest replays to a subscriber of the organisation. */
export const listReplays = (db: Database, organisationId: string, subscriberId: string): Promise<Replay[]> =>
  select(db, organisationId, sql`subscriber_id = ${subscriberId}`);

/** A replay of the organisation. Throws `replay_not_found`. */
export async function readReplay(db: Database, organisationId: string, replayId: string): Promise<Replay> {
  const [replay] = await select(db, organisationId, sql`replays.id = ${replayId}`);
  if (!replay) throw new Refusal("replay_not_found");
  return replay;
}

async function select(db: Database, organisationId: string, which: RawBuilder<unknown>): Promise<Replay[]> {
  const { rows } = await sql<Row>`
    select replays.* from subscribers
    join replays on replays.app_id = subscribers.app_id and subscriber_id = subscribers.id
    where subscribers.organisation_id = ${organisationId} and subscribers.deleted_at is null and ${which}
    order by replays.id desc limit ${replaysMax}`.execute(db);
  return rows.map((row) => ({
    id: row.id,
    state: row.state,
    from: row.from_at.toISOString(),
    until: row.until_at.toISOString(),
    again: row.again,
    eventCount: row.event_count,
    sentCount: row.sent_count,
    startedBy: row.started_by,
    startedAt: row.started_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
    endedBy: row.ended_by,
  }));
}
