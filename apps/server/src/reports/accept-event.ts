import { countInstallSql } from "../installs/count-install.ts";
import { hashInstall } from "../installs/hash-install.ts";
import { preparedStatement } from "../platform/database.ts";
import type { Deps } from "../platform/deps.ts";
import { openThreadSql } from "../replies/open-thread.ts";
import type { Thread } from "../replies/reply-token.ts";

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

/** Writes an event with its artifacts and its thread, and counts its install, all of it or nothing; writes nothing where the app has this report already. */
const acceptStatement = preparedStatement<EventRow>(
  "accept_event",
  `with event as (
    insert into events (app_id, report_id, sdk_key_id, envelope, received_at)
    values ($1, $2, $3, $4, $5)
    on conflict (app_id, report_id) do nothing
    returning app_id, id, delivery_count, received_at
  ), request as materialized (
    select $13::uuid as organisation_id, $14::uuid as install, received_at as at from event
  ), ${countInstallSql("request")}, stored as (
    insert into artifacts (app_id, event_id, position, part_name, filename, content_type, byte_length, sha256, store_key, created_at)
    select event.app_id, event.id, artifact.*, $5
    from event, unnest($6::smallint[], $7::text[], $8::text[], $9::text[], $10::integer[], $11::bytea[], $12::text[]) artifact
  ), thread as (${openThreadSql("event", "$13", "$14", "$15::boolean")}
  )
  select event.id, delivery_count, thread.id as thread_id, device_id from event left join thread on true`,
);

const findStatement = preparedStatement<EventRow>(
  "find_event",
  `select events.id, delivery_count, threads.id as thread_id, device_id
  from events left join threads on threads.app_id = events.app_id and threads.event_id = events.id
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
  const [row] = await acceptStatement(deps.pool, [
    app.id,
    reportId,
    app.keyId,
    envelope,
    deps.clock.now(),
    attachments.map(({ position }) => position),
    attachments.map(({ partName }) => storable(partName)),
    attachments.map(({ filename }) => filename && storable(filename)),
    attachments.map(({ contentType }) => contentType && storable(contentType)),
    attachments.map(({ byteLength }) => byteLength),
    attachments.map(({ sha256 }) => sha256),
    attachments.map(({ storeKey }) => storeKey),
    app.organisationId,
    installId === undefined ? null : hashInstall(app.id, installId),
    app.replies,
  ]);
  if (row) return toEvent(row, false);
  const original = await findEvent(deps, app.id, reportId);
  if (!original) throw new Error("a report was neither new nor known");
  return original;
}

const toEvent = ({ id, delivery_count, thread_id, device_id }: EventRow, idempotent: boolean): AcceptedEvent => ({
  eventId: id,
  deliveryCount: delivery_count,
  idempotent,
  thread: thread_id !== null && device_id !== null ? { threadId: thread_id, deviceId: device_id } : undefined,
});

/** A text column holds neither NUL nor unpaired surrogates; the envelope keeps them. */
const storable = (text: string) => text.replaceAll("\u0000", "\uFFFD").toWellFormed();
