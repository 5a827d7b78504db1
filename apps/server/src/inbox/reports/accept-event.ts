import { hash } from "node:crypto";
import { countInstallSql } from "../../people/installs/count-install.ts";
import { isCounted, rememberCounted } from "../../people/installs/counted-installs.ts";
import { hashInstall } from "../../people/installs/hash-install.ts";
import { batchedStatement } from "../../platform/database/batched-statement.ts";
import { preparedStatement, type RowOf } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import { traceparent } from "../../platform/observe/tracing.ts";
import { insertArtifactsSql } from "../artifacts/insert-artifacts.ts";
import { insertDeliveriesSql } from "../deliveries/insert-deliveries.ts";
import { queueEventSql } from "../problems/queue-event.ts";
import { openThreadSql } from "../replies/open-thread.ts";
import type { Thread } from "../replies/reply-token.ts";
import { filteredBySql } from "../subscribers/filter-sql.ts";
import { firstOfProblemSql } from "../subscribers/tell-first.ts";
import { enabledSubscribersSql, wakeSubscribersSql } from "../subscribers/wake-subscribers.ts";
import { reportDigest } from "./report-digest.ts";
import { hashesOf, type ReportFacts } from "./report-facts.ts";

/** An event as its receipt describes it. */
export type AcceptedEvent = {
  eventId: string;
  deliveryCount: number;
  idempotent: boolean;
  /** Only if the app had replies on when the event was accepted. */
  thread: Thread | undefined;
};

const eventColumns = { id: "uuid", delivery_count: "integer", thread_id: "uuid?", device_id: "uuid?" } as const;
type EventRow = RowOf<typeof eventColumns>;

/** A stored attachment that was checked against its declaration in the envelope. */
export type StoredAttachment = {
  position: number;
  partName: string;
  filename: string | null;
  contentType: string | null;
  byteLength: number;
  sha256: Buffer;
  storeKey: string;
};

type AcceptColumns = {
  organisation_id: "uuid";
  app_id: "uuid";
  sdk_key_id: "uuid";
  report_id: "text";
  digest: "uuid";
  received_at: "timestamptz";
  install: "uuid?";
  opens_thread: "boolean";
  attachments: "text";
  artifacts: "json";
  traceparent: "text?";
  original_at: "integer?";
};

/** CTEs that find which subscribers of `subscribed` get a report of `request`, and why filters exclude others. */
const filteringSql = `${firstOfProblemSql("request")}, verdict as materialized (
      select request.n, subscribed.id, ${filteredBySql(
        "subscribed.filter",
        "request.facets",
        "group_hash is not null and first_of_problem.n is null",
      )} as filtered_by
      from request join subscribed using (app_id) left join first_of_problem using (n)
    ), wanted as materialized (
      select n, id from verdict where filtered_by is null
    ), fan as (
      select n, count(*) filter (where filtered_by is null) as told_count,
        json_agg(json_build_object('subscriberId', id, 'by', filtered_by)) filter (where filtered_by is not null) as filtered
      from verdict group by n
    )`;

/**
 * Inserts events with their artifacts, their deliveries, the jobs that wake their subscribers and, if wanted, their
 * threads and the count of an install: all or nothing. Inserts nothing for reports that the app has sent before.
 * Reports are locked in the order of app and digest, so that concurrent runs do not deadlock.
 *
 * With `filters`, only subscribers whose filters match get a report (by its facets, and by whether it is the first of
 * its problem), and the event records which part of each other filter did not match. Without, filters are ignored.
 *
 * With `counts` it counts the install, and accepts one report at a time. Leaving it out saves the 0.1 ms that counting
 * costs even for an install that was counted before.
 */
const acceptStatement = (name: string, { counts = false, filters = false }) =>
  batchedStatement({
    name,
    columns: {
      organisation_id: "uuid",
      app_id: "uuid",
      sdk_key_id: "uuid",
      report_id: "text",
      digest: "uuid",
      received_at: "timestamptz",
      install: "uuid?",
      opens_thread: "boolean",
      attachments: "text", // JSON as text, since it may contain a NUL, which no text column can hold
      artifacts: "json",
      traceparent: "text?",
      original_at: "integer?", // position of the original in the bytes, from 1, if there is one
      ...(filters && { facets: "text[]", group_hash: "uuid?", old_group_hash: "uuid?" }),
    } as AcceptColumns,
    row: eventColumns,
    carriesBytes: true,
    text: (request, bytes) => `with request as materialized (
      select request.*, uuidv7() as id from ${request}
    ), subscribed as materialized (
      select subscriber.* from (select distinct app_id from request) app
      cross join lateral (${enabledSubscribersSql("app.app_id")}) subscriber
    ), ${filters ? `${filteringSql}, ` : ""}new as (
      insert into report_ids (app_id, digest, event_id, delivery_count)
      select app_id, digest, id, ${
        filters
          ? "coalesce(told_count, 0) from request left join fan using (n)"
          : "(select count(*) from subscribed where subscribed.app_id = request.app_id) from request"
      }
      order by app_id, digest
      on conflict do nothing
      returning event_id, delivery_count
    ), accepted as materialized (
      select request.*, received_at as at, delivery_count from request join new on event_id = id
    ), event as (
      insert into events (app_id, id, report_id, sdk_key_id, envelope, original, received_at, attachments, traceparent, delivery_count${filters ? ", filtered" : ""})
      select app_id, id, report_id, sdk_key_id, case when original_at is null then ${bytes} else substr(${bytes}, 1, original_at - 1) end,
        substr(${bytes}, original_at), received_at, attachments::json, traceparent,
        delivery_count${filters ? ", filtered from accepted left join fan using (n)" : " from accepted"}
    ), unread as (${queueEventSql("accepted")}
    ), stored as (${insertArtifactsSql("accepted")}
    ), delivery as (${
      filters
        ? insertDeliveriesSql("accepted", "wanted", undefined, "wanted.n = accepted.n")
        : insertDeliveriesSql("accepted", "subscribed")
    }
    ), job as (${wakeSubscribersSql("select app_id, json_agg(distinct subscriber_id), now() from delivery group by app_id")}
    ), discussed as (
      select * from accepted where opens_thread
    ), thread as (${openThreadSql("discussed")}
    )${counts ? `, ${countInstallSql("accepted")}` : ""}
    select accepted.n, accepted.id, delivery_count, thread.id as thread_id, device_id
    from accepted left join thread on thread.event_id = accepted.id`,
  });
/** By whether the app has subscribers with filters, and whether an install is counted. */
const acceptStatements = {
  plain: acceptStatement("accept_events", {}),
  counting: acceptStatement("accept_event_counting", { counts: true }),
  filtering: acceptStatement("accept_filtered_events", { filters: true }),
  filteringCounting: acceptStatement("accept_filtered_event_counting", { counts: true, filters: true }),
};

/** Larger envelopes do not share a statement: they would gain nothing, and others would wait for them. */
const togetherBytesMax = 65_536;

const findStatement = preparedStatement({
  name: "find_event",
  parameters: { appId: "uuid", digest: "uuid", envelopeSha256: "bytea" },
  row: { ...eventColumns, same: "boolean?" },
  text: ({
    appId,
    digest,
    envelopeSha256,
  }) => `select report_ids.event_id as id, report_ids.delivery_count, threads.id as thread_id, device_id,
    case when threads.id is not null then sha256(envelope) = ${envelopeSha256} end as same
  from report_ids
  left join events on events.app_id = report_ids.app_id and events.id = report_ids.event_id
  left join threads on threads.app_id = events.app_id and threads.event_id = events.id
  where report_ids.app_id = ${appId} and digest = ${digest}`,
});

/**
 * The event of a report that the app has sent before, or undefined. Includes its thread only if the envelope is
 * identical: SDK keys and reportIds are not secret, and the thread's token gives access to the reporter's messages.
 */
export async function findEvent(
  { pool }: Deps,
  appId: string,
  reportId: string,
  envelopeSha256: Buffer,
): Promise<AcceptedEvent | undefined> {
  const [row] = await findStatement(pool, {
    appId,
    digest: reportDigest(appId, reportId),
    envelopeSha256,
  });
  return row && { ...toEvent(row, true), ...(row.same !== true && { thread: undefined }) };
}

/** The fields of a report that are stored with its bytes. `facts` only if a subscriber of the app has a filter. */
export type NewReport = { reportId: string; installId?: string | undefined; facts?: ReportFacts | undefined };

/** The bytes of a report: its envelope and, from `envelopeLength` on, the original if it was translated from one. */
type ReportBytes = { bytes: Buffer; envelopeLength?: number };

/**
 * Stores a report as an event, or finds the event if it was stored before. Its attachments must have been flushed to
 * the store (contract section 3, step 10). If several requests send the same report, exactly one gets `idempotent:
 * false`.
 */
export async function acceptEvent(
  deps: Deps,
  app: { organisationId: string; id: string; keyId: string; replies: boolean },
  { reportId, installId, facts }: NewReport,
  { bytes, envelopeLength = bytes.length }: ReportBytes,
  attachments: readonly StoredAttachment[],
): Promise<AcceptedEvent> {
  const now = deps.clock.now();
  const install = installId === undefined ? undefined : hashInstall(app.id, installId);
  const counts = install !== undefined && !isCounted(deps.pool, now, install);
  const { plain, counting, filtering, filteringCounting } = acceptStatements;
  const { together, alone } = facts ? (counts ? filteringCounting : filtering) : counts ? counting : plain;
  const accept = counts || bytes.length > togetherBytesMax ? alone : together;
  const row = await accept(deps.pool, {
    organisation_id: app.organisationId,
    app_id: app.id,
    sdk_key_id: app.keyId,
    report_id: reportId,
    digest: reportDigest(app.id, reportId),
    received_at: now,
    install,
    opens_thread: app.replies,
    attachments: JSON.stringify(attachments.map(describe)),
    artifacts: attachments.map(toArtifact),
    traceparent: traceparent(),
    ...(facts && { facets: facts.facets, ...(await hashesOf(deps, app.id, facts)) }),
    original_at: envelopeLength < bytes.length ? envelopeLength + 1 : undefined,
    bytes,
  });
  if (row) {
    if (row.delivery_count > 0) deps.announceJobs();
    if (counts) rememberCounted(deps.pool, now, install);
    return toEvent(row, false);
  }
  const known = await findEvent(deps, app.id, reportId, hash("sha256", bytes.subarray(0, envelopeLength), "buffer"));
  if (!known) throw new Error("a report was neither new nor known");
  return known;
}

/** An attachment as messages describe it, except for its link, which is created when a message is sent. */
const describe = ({ partName, filename, contentType, byteLength, sha256 }: StoredAttachment) => ({
  partName,
  filename,
  contentType,
  byteLength,
  sha256: sha256.toString("hex"),
});

/** The attachment as a row of `artifacts`. */
const toArtifact = ({ position, partName, filename, contentType, byteLength, sha256, storeKey }: StoredAttachment) => ({
  position,
  part_name: storable(partName),
  filename: filename && storable(filename),
  content_type: contentType && storable(contentType),
  byte_length: byteLength,
  sha256: `\\x${sha256.toString("hex")}`,
  store_key: storeKey,
});

const toEvent = ({ id, delivery_count, thread_id, device_id }: EventRow, idempotent: boolean): AcceptedEvent => ({
  eventId: id,
  deliveryCount: delivery_count,
  idempotent,
  thread: thread_id !== null && device_id !== null ? { threadId: thread_id, deviceId: device_id } : undefined,
});

/** Replaces NUL and unpaired surrogates, which text columns cannot hold; the envelope keeps them. */
const storable = (text: string) => text.replaceAll("\u0000", "\uFFFD").toWellFormed();
