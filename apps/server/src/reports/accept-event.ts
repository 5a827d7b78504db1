import { countInstallSql } from "../installs/count-install.ts";
import { isCounted, rememberCounted } from "../installs/counted-installs.ts";
import { hashInstall } from "../installs/hash-install.ts";
import { preparedStatement } from "../platform/database.ts";
import type { Deps } from "../platform/deps.ts";
import { openThreadSql } from "../replies/open-thread.ts";
import type { Thread } from "../replies/reply-token.ts";
import { enabledSubscribersSql, insertDeliveriesSql, wakeSubscribersSql } from "../subscribers/queue-deliveries.ts";

/** An event as a receipt tells of it. */
export type AcceptedEvent = {
  eventId: string;
  deliveryCount: number;
  idempotent: boolean;
  /** Where the app had replies on when it was accepted. */
  thread: Thread | undefined;
};

type EventRow = { id: string; delivery_count: number; thread_id: string | null; device_id: string | null };

/** An attachment whose bytes lie in the store, checked against what the envelope declares. */
export type StoredAttachment = {
  position: number;
  partName: string;
  filename: string | null;
  contentType: string | null;
  byteLength: number;
  sha256: Buffer;
  storeKey: string;
};

/**
 * Writes an event with its artifacts, its deliveries, the job that wakes their subscribers and, as wanted, its thread
 * and the count of its install, all of it or nothing; writes nothing where the app has this report already. What is not
 * wanted is left out, because a statement pays for all that it could do: counting costs 0.1 ms, seen install or not.
 */
const acceptStatement = (counts: boolean, opens: boolean) =>
  preparedStatement<EventRow>(
    `accept_event${counts ? "_counting" : ""}${opens ? "_with_thread" : ""}`,
    `with subscribed as materialized (${enabledSubscribersSql("$1")}
    ), event as (
      insert into events (app_id, report_id, sdk_key_id, envelope, received_at, attachments, delivery_count)
      values ($1, $2, $3, $4, $5, $13, (select count(*) from subscribed))
      on conflict (app_id, report_id) do nothing
      returning app_id, id, delivery_count, received_at
    ), stored as (
      insert into artifacts (app_id, event_id, position, part_name, filename, content_type, byte_length, sha256, store_key, created_at)
      select event.app_id, event.id, artifact.*, $5
      from event, unnest($6::smallint[], $7::text[], $8::text[], $9::text[], $10::integer[], $11::bytea[], $12::text[]) artifact
    ), delivery as (${insertDeliveriesSql("event", "subscribed")}
    ), job as (${wakeSubscribersSql("select app_id, json_agg(subscriber_id), now() from delivery group by app_id")}
    ), report as (
      select $14::uuid as organisation_id, $15::uuid as install, received_at as at, app_id, id from event
    )${counts ? `, ${countInstallSql("report")}` : ""}
    ${opens ? `, thread as (${openThreadSql("report")})` : ""}
    select event.id, delivery_count, ${opens ? "thread.id as thread_id, device_id" : "null as thread_id, null as device_id"}
    from event ${opens ? "left join thread on true" : ""}`,
  );

const acceptStatements = {
  plain: acceptStatement(false, false),
  counting: acceptStatement(true, false),
  withThread: acceptStatement(false, true),
  countingWithThread: acceptStatement(true, true),
};

function acceptStatementFor(counts: boolean, opens: boolean) {
  if (counts) return opens ? acceptStatements.countingWithThread : acceptStatements.counting;
  return opens ? acceptStatements.withThread : acceptStatements.plain;
}

const findStatement = preparedStatement<EventRow>(
  "find_event",
  `select events.id, delivery_count, threads.id as thread_id, device_id
  from events left join threads on threads.event_id = events.id
  where events.app_id = $1 and report_id = $2`,
);

/** The event of a report that the app has received before, or undefined. */
export async function findEvent({ pool }: Deps, appId: string, reportId: string): Promise<AcceptedEvent | undefined> {
  const [row] = await findStatement(pool, [appId, reportId]);
  return row && toEvent(row, true);
}

/**
 * Makes a report an event, or finds the event that it is already. Its attachments must be flushed to the store before
 * (contract section 3, step 10). Of several requests with one report, exactly one is told `idempotent: false`.
 */
export async function acceptEvent(
  deps: Deps,
  app: { organisationId: string; id: string; keyId: string; replies: boolean },
  { reportId, installId }: { reportId: string; installId?: string },
  envelope: Buffer,
  attachments: readonly StoredAttachment[],
): Promise<AcceptedEvent> {
  const now = deps.clock.now();
  const install = installId === undefined ? null : hashInstall(app.id, installId);
  const counts = install !== null && !isCounted(deps.pool, now, install);
  const accept = acceptStatementFor(counts, app.replies);
  const [row] = await accept(deps.pool, [
    app.id,
    reportId,
    app.keyId,
    envelope,
    now,
    attachments.map(({ position }) => position),
    attachments.map(({ partName }) => storable(partName)),
    attachments.map(({ filename }) => filename && storable(filename)),
    attachments.map(({ contentType }) => contentType && storable(contentType)),
    attachments.map(({ byteLength }) => byteLength),
    attachments.map(({ sha256 }) => sha256),
    attachments.map(({ storeKey }) => storeKey),
    JSON.stringify(attachments.map(describe)),
    app.organisationId,
    install,
  ]);
  if (row) {
    if (row.delivery_count > 0) deps.announceJobs();
    if (counts) rememberCounted(deps.pool, now, install);
    return toEvent(row, false);
  }
  const original = await findEvent(deps, app.id, reportId);
  if (!original) throw new Error("a report was neither new nor known");
  return original;
}

/** What a receiver is told of an attachment; its link is made when it is told. */
const describe = ({ partName, filename, contentType, byteLength, sha256 }: StoredAttachment) => ({
  partName,
  filename,
  contentType,
  byteLength,
  sha256: sha256.toString("hex"),
});

const toEvent = ({ id, delivery_count, thread_id, device_id }: EventRow, idempotent: boolean): AcceptedEvent => ({
  eventId: id,
  deliveryCount: delivery_count,
  idempotent,
  thread: thread_id !== null && device_id !== null ? { threadId: thread_id, deviceId: device_id } : undefined,
});

/** A text column holds neither NUL nor unpaired surrogates; the envelope keeps them. */
const storable = (text: string) => text.replaceAll("\u0000", "\uFFFD").toWellFormed();
