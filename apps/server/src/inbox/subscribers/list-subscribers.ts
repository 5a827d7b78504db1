import type { Subscriber, SubscriberDetails, SubscriberList } from "@lodge/contract/dashboard/subscribers";
import { type RawBuilder, sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { SealingKeys } from "../../platform/config/seal.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { showAddress } from "../../platform/outbound/receiver-address.ts";
import { listReplays } from "./list-replays.ts";

const subscribersMax = 500;
const appsMax = 500;
const countedMax = 1_000;
const dayMs = 86_400_000;
const healthDays = 14;

type Row = {
  id: string;
  app_id: string;
  app_name: string;
  kind: Subscriber["kind"];
  url: string | null;
  sealed_url: string | null;
  board_id: string | null;
  board_name: string | null;
  column_id: string | null;
  filter: Subscriber["filter"];
  per_minute: number | null;
  ordered: boolean;
  enabled: boolean;
  disabled_at: Date | null;
  disabled_reason: string | null;
  failing_since: Date | null;
  paused_until: Date | null;
  waits_for_confirmation: boolean;
  created_at: Date;
  waiting_count: number;
  dead_count: number;
  delivered_count: number;
  failed_count: number;
};

/** Without `sealing`, addresses are shown without their secret parts. */
type Reader = Pick<Deps, "clock"> & Partial<Pick<Deps, "sealing">>;

/** The organisation's apps and their subscribers. */
export async function listSubscribers(deps: Deps, { organisationId }: Actor): Promise<SubscriberList> {
  const subscribers = await select(deps, deps.db, organisationId, sql`true`);
  const apps = await deps.db
    .selectFrom("apps")
    .select(["id", "name"])
    .where("organisation_id", "=", organisationId)
    .where("deleted_at", "is", null)
    .orderBy("name")
    .limit(appsMax)
    .execute();
  return { subscribers, apps };
}

/** A subscriber of the organisation in the form of lists. Throws `subscriber_not_found`. */
export async function readSubscriber(
  deps: Reader,
  db: Database,
  organisationId: string,
  subscriberId: string,
): Promise<Subscriber> {
  const [subscriber] = await select(deps, db, organisationId, sql`subscribers.id = ${subscriberId}`);
  if (!subscriber) throw new Refusal("subscriber_not_found");
  return subscriber;
}

/** A subscriber of the organisation with its secrets and its delivery statistics. Throws `subscriber_not_found`. */
export async function getSubscriber(
  deps: Deps,
  { organisationId }: Actor,
  subscriberId: string,
): Promise<SubscriberDetails> {
  const { db, clock } = deps;
  const subscriber = await readSubscriber(deps, db, organisationId, subscriberId);
  const ofSubscriber = sql`app_id = ${subscriber.app.id} and subscriber_id = ${subscriberId}`;
  const { rows: secrets } = await sql<{ id: string; created_at: Date; expires_at: Date | null }>`
    select id, created_at, expires_at from signing_secrets
    where ${ofSubscriber} and (expires_at is null or expires_at > ${clock.now()})
    order by created_at desc, id desc`.execute(db);
  const today = clock.now().toISOString().slice(0, 10);
  const { rows: health } = await sql<SubscriberDetails["health"][number]>`
    select to_char(day, 'YYYY-MM-DD') as day, coalesce(sum(delivered_count), 0)::integer as "deliveredCount",
      coalesce(sum(failed_count), 0)::integer as "failedCount",
      (sum(total_ms) / nullif(sum(delivered_count + failed_count), 0))::integer as "meanMs"
    from generate_series(${today}::date - ${healthDays - 1}::integer, ${today}::date, interval '1 day') day
    left join subscriber_hours on ${ofSubscriber} and hour >= day at time zone 'UTC' and hour < (day + interval '1 day') at time zone 'UTC'
    group by day order by day`.execute(db);
  return {
    ...subscriber,
    secrets: secrets.map(({ id, created_at, expires_at }) => ({
      id,
      createdAt: created_at.toISOString(),
      expiresAt: expires_at?.toISOString() ?? null,
    })),
    health,
    replays: await listReplays(db, organisationId, subscriberId),
  };
}

async function select(
  { clock, sealing }: Reader,
  db: Database,
  organisationId: string,
  which: RawBuilder<unknown>,
): Promise<Subscriber[]> {
  const now = clock.now();
  const countIn = (states: RawBuilder<unknown>) => sql`(select count(*)::integer from (
    select from deliveries
    where deliveries.app_id = subscribers.app_id and subscriber_id = subscribers.id and ${states} limit ${countedMax}) few)`;
  const { rows } = await sql<Row>`
    select subscribers.id, subscribers.app_id, apps.name as app_name, kind, url, sealed_url, board_id, boards.name as board_name, column_id, filter, per_minute, ordered,
      subscribers.enabled, disabled_at, disabled_reason, failing_since, paused_until, subscribers.created_at,
      kind = 'email' and confirmed_at is null as waits_for_confirmation,
      ${countIn(sql`state in ('waiting', 'failed')`)} as waiting_count, ${countIn(sql`state = 'dead'`)} as dead_count,
      coalesce(day.delivered_count, 0) as delivered_count, coalesce(day.failed_count, 0) as failed_count
    from subscribers join apps on apps.id = subscribers.app_id
    left join boards on boards.organisation_id = subscribers.organisation_id and boards.id = board_id
    left join lateral (
      select sum(delivered_count)::integer as delivered_count, sum(failed_count)::integer as failed_count
      from subscriber_hours
      where subscriber_hours.app_id = subscribers.app_id and subscriber_id = subscribers.id
        and hour > ${new Date(now.getTime() - dayMs)}
    ) day on true
    where subscribers.organisation_id = ${organisationId} and subscribers.deleted_at is null and ${which}
    order by apps.name, subscribers.id limit ${subscribersMax}`.execute(db);
  return rows.map((row) => toSubscriber(row, now, sealing));
}

const toSubscriber = (row: Row, now: Date, sealing: SealingKeys | undefined): Subscriber => ({
  id: row.id,
  app: { id: row.app_id, name: row.app_name },
  kind: row.kind,
  url:
    row.url === null || !sealing ? row.url : showAddress(sealing, "subscribers.sealed_url", { ...row, url: row.url }),
  boardId: row.board_id,
  boardName: row.board_name,
  columnId: row.column_id,
  filter: row.filter,
  perMinute: row.per_minute,
  ordered: row.ordered,
  enabled: row.enabled,
  disabledAt: row.disabled_at?.toISOString() ?? null,
  disabledReason: row.disabled_reason,
  waitsForConfirmation: row.waits_for_confirmation,
  failingSince: row.failing_since?.toISOString() ?? null,
  pausedUntil: row.paused_until !== null && row.paused_until > now ? row.paused_until.toISOString() : null,
  createdAt: row.created_at.toISOString(),
  waitingCount: row.waiting_count,
  deadCount: row.dead_count,
  deliveredCount: row.delivered_count,
  failedCount: row.failed_count,
});
