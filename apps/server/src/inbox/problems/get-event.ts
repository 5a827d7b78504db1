import type { EventDetails } from "@lodge/contract/dashboard/inbox";
import { defaultReportKind, type Envelope } from "@lodge/contract/envelope";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { clockSlackMs, idAt, lastId, nilId } from "../../platform/uuid-time.ts";
import { envelopePart, makeLink, originalPart } from "../artifacts/artifact-links.ts";
import type { ReadError } from "../stacks/read-error.ts";
import { stackLengthMax } from "../stacks/read-stack.ts";
import { cutDeep } from "./cut-deep.ts";
import { type ProblemRow, problemColumns, toProblem } from "./inbox-rows.ts";
import { listReportCards, ofEvent } from "./list-report-cards.ts";
import { everything, findWindow, type Window } from "./newest-first.ts";
import { readOriginalError, withOriginalType } from "./original-error.ts";
import { readDevice } from "./read-device.ts";
import { findAbout, readFeedback } from "./read-feedback.ts";
import { parseEnvelope, readable, titleOf } from "./readable.ts";
import { shownError } from "./shown-error.ts";

/** Of a larger envelope, the page does not show fields that the sender can make arbitrarily large. */
const wholeBytesMax = 262_144;
const droppedMax = 100;
/** The length up to which short texts are shown whole, and the length to which longer ones are cut. */
const textLengthMax = 2_000;
const contextDepthMax = 100;

type Row = {
  app_id: string;
  app_name: string;
  report_id: string;
  received_at: Date;
  attachments: { partName: string; filename: string | null; contentType: string | null; byteLength: number }[];
  kept: number[];
  envelope: Buffer;
  has_original: boolean;
  hash: string | null;
  read_failure: string | null;
  thread_id: string | null;
};

/** An event of the organisation with everything that its page shows. Throws `event_not_found`. */
export async function getEvent(
  deps: Deps,
  { organisationId }: Pick<Actor, "organisationId">,
  eventId: string,
): Promise<EventDetails> {
  const { db, urls } = deps;
  const { rows } = await sql<Row>`
    select events.app_id, apps.name as app_name, report_id, events.received_at, events.attachments, events.envelope,
      original is not null as has_original, event_summaries.hash, event_summaries.read_failure, threads.id as thread_id,
      array(select position from artifacts where artifacts.app_id = events.app_id and event_id = events.id) as kept
    from apps
    join events on events.app_id = apps.id
    left join event_summaries on event_summaries.app_id = events.app_id and event_summaries.event_id = events.id
    left join threads on threads.app_id = events.app_id and threads.event_id = events.id
    where apps.organisation_id = ${organisationId} and apps.deleted_at is null and events.id = ${eventId}`.execute(db);
  const [row] = rows;
  if (!row) throw new Refusal("event_not_found");
  const problem = await readProblem(deps, row, eventId);
  const envelope = parseEnvelope(row.envelope);
  const { read } = await readOriginalError(deps, row.app_id, envelope, stackLengthMax, true);
  const link = (part: string) => makeLink(deps, { appId: row.app_id, eventId, part }, urls.base);
  return {
    id: eventId,
    app: { id: row.app_id, name: row.app_name },
    problem: problem ? toProblem(problem) : null,
    reportId: row.report_id,
    receivedAt: row.received_at.toISOString(),
    ...describe(withOriginalType(envelope, read), read, row.envelope.length > wholeBytesMax),
    attachments: describeAttachments(row, envelope, link),
    envelopeUrl: link(envelopePart),
    originalUrl: row.has_original ? link(originalPart) : null,
    aboutEventId: await findAbout(deps, row.app_id, envelope),
    feedback: await readFeedback(deps, row.app_id, { reportId: row.report_id, receivedAt: row.received_at }),
    cards: await listReportCards(deps, organisationId, ofEvent(organisationId, row.app_id, eventId)),
    threadId: row.thread_id,
    readFailure: row.read_failure,
    newerEventId: problem?.newer ?? null,
    olderEventId: problem?.older ?? null,
    url: `${urls.base}/events/${eventId}`,
  };
}

/** The problem of an event, and the ids of the newer and older event of its hash. Looks near the event first. */
async function readProblem({ db, clock }: Deps, { app_id, hash, received_at }: Row, eventId: string) {
  if (hash === null) return undefined;
  const place = sql`(${received_at}, ${eventId}::uuid)`;
  const [earliest, latest] = [-clockSlackMs, clockSlackMs].map((slack) => idAt(received_at.getTime() + slack));
  const read = async ({ since, until }: Window) => {
    const { rows } = await sql<ProblemRow & { newer: string | null; older: string | null }>`
      select ${problemColumns(clock.now())},
        (select event_id from event_summaries e where e.app_id = ${app_id} and e.hash = ${hash}
          and (e.received_at, e.event_id) > ${place} and e.event_id >= ${earliest} and e.event_id < ${until}
          order by e.received_at, e.event_id limit 1) as newer,
        (select event_id from event_summaries e where e.app_id = ${app_id} and e.hash = ${hash}
          and (e.received_at, e.event_id) < ${place} and e.event_id < ${latest} and e.event_id >= ${since}
          order by e.received_at desc, e.event_id desc limit 1) as older
      from problem_hashes h join problems p on p.app_id = h.app_id and p.id = h.problem_id
      where h.app_id = ${app_id} and h.hash = ${hash}`.execute(db);
    return rows[0];
  };
  const near = await findWindow(db, received_at, clock.now());
  const found = await read(near);
  const isWhole = !found || ((found.newer ?? near.until === lastId) && (found.older ?? near.since === nilId));
  return isWhole ? found : read(everything);
}

/** Describes an envelope in pieces that a page can show, whatever it contains. */
function describe(envelope: Partial<Envelope>, read: ReadError, isCut: boolean) {
  const cut = (text: string, lengthMax = textLengthMax) => (isCut ? text.slice(0, lengthMax).toWellFormed() : text);
  const cutValues = (values: object = {}) =>
    Object.fromEntries(
      Object.entries(values)
        .slice(0, 100)
        .flatMap(([name, value]) => (typeof value === "string" ? [[cut(name), cut(value)]] : [])),
    );
  const { browser, os } = readDevice(envelope.device);
  const { kind = defaultReportKind, error, sdk, message = "", breadcrumbs = [], dropped = [] } = envelope;
  return {
    kind,
    title: titleOf(envelope).title,
    message,
    occurredAt: envelope.occurredAt ?? null,
    installId: envelope.installId ?? null,
    user: cutValues(envelope.user),
    appFields: cutValues(envelope.app),
    device: cutValues(envelope.device),
    browser,
    os: os === null ? null : cut(readable(os)),
    sdk: sdk ? `${cut(sdk.name, 100)} ${cut(sdk.version, 100)}` : null,
    fingerprint: envelope.fingerprint ?? [],
    platform: envelope.platform ?? null,
    level: envelope.level ?? null,
    error: error ? shownError(error, read, cut) : null,
    breadcrumbs: breadcrumbs.map(({ at, category, message, level, data }) => ({
      at,
      category: cut(category),
      message: cut(message),
      level: level === undefined ? null : cut(level),
      data: isCut ? null : cutDeep(data ?? null, contextDepthMax),
    })),
    tags: cutValues(envelope.tags),
    context: isCut ? null : cutDeep(envelope.context ?? null, contextDepthMax),
    isCut,
    dropped: dropped.slice(0, droppedMax).map(({ partName, reason, byteLength }) => ({
      partName: cut(partName),
      reason: cut(reason),
      byteLength: byteLength ?? null,
    })),
  };
}

const imageTypes = /^image\/(?:png|jpeg|gif|webp|avif)$/i;
/** Name endings of text files, for files without a content type. */
const textNames =
  /\.(?:txt|log|out|err|json|jsonl|ndjson|xml|csv|tsv|ya?ml|toml|ini|conf|md|diff|patch|sql|html?|css|[cm]?[jt]sx?)$/i;
const textTypes = /^(?:text\/|application\/(?:json|xml|x-ndjson|javascript|yaml|toml)$)/i;

function describeAttachments(
  { attachments, kept }: Row,
  envelope: Partial<Envelope>,
  link: (part: string) => string,
): EventDetails["attachments"] {
  return attachments.map(({ partName, filename, contentType, byteLength }, position) => {
    const type = contentType?.split(";", 1)[0]?.trim() ?? "";
    return {
      position,
      partName,
      filename,
      contentType,
      kind: envelope.attachments?.[position]?.kind ?? null,
      byteLength,
      preview: imageTypes.test(type) ? "image" : isText(type, filename ?? partName) ? "text" : null,
      url: kept.includes(position) ? link(`${position}`) : null,
    };
  });
}

const isText = (type: string, name: string) =>
  textTypes.test(type) || ((type === "" || type === "application/octet-stream") && textNames.test(name));
