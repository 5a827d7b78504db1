import type { IncomingMessage } from "node:http";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { decodeBody, encodingOf } from "../../platform/http/decode-body.ts";
import type { App } from "../apps/authenticate-key.ts";
import { Uploads } from "../reports/store-report.ts";
import { type ItemCounter, type Loss, readLosses, typeOf } from "./count-items.ts";
import { inflateBase64 } from "./inflate-base64.ts";
import { type Items, invalidEnvelope, readItems } from "./read-items.ts";
import { Attachments } from "./receive-attachments.ts";
import { type Collected, collect, storeCollected } from "./store-event.ts";
import { translateEvent, translateFeedback, translateUserReport } from "./translate-event.ts";

/** An envelope with more feedback is refused, since each becomes a report. */
const feedbackMax = 10;
/**
 * The bytes of a br or zstd body that are kept until its first line names the app. Until then anybody can send one
 * without being counted by a rate limit. Does not apply to clients with a key in the head of the request.
 */
const strangersHeldBytesMax = 262_144;

type Received = { event: Collected | undefined; feedback: Collected[]; unstored: string[]; losses: Loss[] };

/** The body of a request, decoded while it streams. */
export type Body = { chunks: AsyncGenerator<Buffer>; stop: () => Promise<unknown> };

/**
 * Starts to read the body of a request; `app` is undefined if it is not known yet. The caller must call `stop` in the
 * end. Throws for errors in the request's head.
 */
export function readBody({ config }: Deps, request: IncomingMessage, app: App | undefined): Body {
  const tooLarge = () => new Refusal("payload_too_large");
  if (Number(request.headers["content-length"] ?? 0) > config.ingestRequestBytesMax) throw tooLarge();
  const unknown = () => invalidEnvelope("", "must have the Content-Encoding gzip, deflate, br or zstd, or none");
  const stopping = new AbortController();
  const chunks = decodeBody(request, {
    encoding: encodingOf(request.headers["content-encoding"], unknown),
    bytesMax: config.ingestRequestBytesMax,
    tooLarge,
    idleMs: config.ingestIdleMs,
    folder: config.dataDir,
    sender: app?.id ?? "",
    ...(app === undefined && { heldBytesMax: strangersHeldBytesMax }),
    broken: () => invalidEnvelope("", "ends early, or does not match its Content-Encoding"),
    signal: stopping.signal,
  });
  const stop = () => {
    stopping.abort();
    return chunks.return(undefined);
  };
  return { chunks, stop };
}

/**
 * Receives a Sentry envelope (contract section 3, Sentry's protocol): its event with its attachments becomes a report,
 * its feedback becomes reports, and items that are not stored are counted. `admit` gets the envelope's header and
 * returns the app. Returns the event's id, if there is one. Stores nothing if any part of the envelope is refused.
 */
export async function receiveEnvelope(
  deps: Deps,
  body: Body,
  admit: (header: Record<string, unknown>) => Promise<App>,
  counter: ItemCounter,
): Promise<string | undefined> {
  const uploads = new Uploads(deps);
  const attachments = new Attachments(uploads, deps.config.ingestAttachmentBytesMax);
  const received: Received = { event: undefined, feedback: [], unstored: [], losses: [] };
  try {
    const items = await readItems(body.chunks);
    const app = await admit(items.header);
    await receiveItems(deps, items, received, attachments);
    const { event, feedback, unstored, losses } = received;
    const [owner] = event ? [event] : feedback;
    if (!owner) unstored.push(...attachments.stored.map(() => "attachment"));
    let id: string | undefined;
    for (const report of event ? [event, ...feedback] : feedback) {
      const reportId = await storeCollected(
        deps,
        app,
        report,
        report === owner ? { uploads, attachments } : undefined,
        id,
      );
      if (report === event) id = reportId;
    }
    counter.add(app, unstored, losses);
    return id;
  } finally {
    await body.stop();
    for (const { held } of [...(received.event ? [received.event] : []), ...received.feedback]) await held.release();
    await uploads.settle();
  }
}

async function receiveItems(deps: Deps, items: Items, received: Received, attachments: Attachments): Promise<void> {
  const headerId = items.header.event_id;
  let index = 0;
  for (let item = await items.next(); item; item = await items.next(), index += 1) {
    const path = `/items/${index}`;
    const { type, bytes } = item;
    if (type === "attachment") {
      await attachments.receive(item);
    } else if (type === "event") {
      if (received.event) throw invalidEnvelope(path, "is a second event: send each event in its own envelope");
      received.event = await collect(deps, bytes, { path, translate: translateEvent, headerId });
    } else if (type === "feedback" || type === "user_report") {
      if (received.feedback.length === feedbackMax)
        throw invalidEnvelope(path, `is one too many: send at most ${feedbackMax} feedback items in an envelope`);
      const translate = type === "feedback" ? translateFeedback : translateUserReport;
      received.feedback.push(await collect(deps, bytes, { path, translate, hasNoId: type === "user_report" }));
    } else if (type === "client_report") {
      received.losses.push(...(await readLosses(bytes)));
    } else {
      received.unstored.push(typeOf(type));
    }
  }
}

/** Receives a single event in the form of old clients: JSON, or JSON in base64 of zlib. Returns its id. */
export async function receiveStore(deps: Deps, body: Body, app: App): Promise<string> {
  try {
    const event = await collect(deps, inflateBase64(body.chunks), { path: "", translate: translateEvent });
    try {
      return await storeCollected(deps, app, event, undefined, undefined);
    } finally {
      await event.held.release();
    }
  } finally {
    await body.stop();
  }
}
