import type { Envelope } from "@lodge/contract/envelope";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { countRead } from "../../platform/http/collect-buffers.ts";
import { type HeldBytes, holdBytes } from "../../platform/store/hold-bytes.ts";
import type { App } from "../apps/authenticate-key.ts";
import { collector, largeChecks } from "../reports/collect-json.ts";
import { factsReader } from "../reports/report-facts.ts";
import { Uploads } from "../reports/store-report.ts";
import { invalidEnvelope } from "./read-items.ts";
import type { Attachments } from "./receive-attachments.ts";
import { eventIdOf, type Translated, type TranslationInput, writeEnvelope } from "./translate-event.ts";

/** How an item becomes a report. */
type Kind = {
  /** The item's path in the envelope. */
  path: string;
  translate: (json: Record<string, unknown>, input: TranslationInput) => Translated;
  /** The event id in the envelope's header. */
  headerId?: unknown;
  /** Whether the item has no event id of its own; the one in it names another event. */
  hasNoId?: boolean;
};

/** The JSON of an item that becomes a report, byte for byte. The caller releases `held`. */
export type Collected = Kind & { held: HeldBytes };

/** Collects the JSON of an item. Throws `payload_too_large` above 5 MB. */
export async function collect({ config }: Deps, bytes: AsyncIterable<Buffer>, kind: Kind): Promise<Collected> {
  const held = holdBytes(config.dataDir);
  try {
    await collector(held, {
      tooLarge: () => new Refusal("payload_too_large"),
      tooMuch: (message) => invalidEnvelope(kind.path, message),
    })(bytes);
    return { ...kind, held };
  } catch (error) {
    await held.release();
    throw error;
  }
}

/**
 * Translates an item and stores it as a report with its original, unless the app has sent it before. Without `files`,
 * it has no attachments. Returns its reportId, which is never `takenId`.
 */
export async function storeCollected(
  deps: Deps,
  app: App,
  collected: Collected,
  files: { uploads: Uploads; attachments: Attachments } | undefined,
  takenId: string | undefined,
): Promise<string> {
  const { held } = collected;
  const written = holdBytes(deps.config.dataDir); // the envelope and the original together, to be read in one go
  let envelopeLength = 0;
  const translate = async () => {
    const original = await held.read();
    const translated = translateCollected(deps, collected, original, files?.attachments, takenId);
    const envelope = writeEnvelope(translated);
    envelopeLength = envelope.length;
    await written.write(envelope);
    await written.write(original);
    if (held.isLarge()) countRead(original.length + envelopeLength); // V8 would not collect such buffers promptly
    const { reportId, installId } = translated;
    return { reportId, installId, facts: factsReader(app.filterDepth)?.(translated as Envelope) };
  };
  try {
    const report = await (held.isLarge() ? largeChecks.run(translate) : translate());
    const { uploads, attachments } = files ?? { uploads: new Uploads(deps), attachments: undefined };
    // Sentry clients do not show replies: nobody would read messages in a thread.
    const to = { ...app, replies: false };
    await uploads.store(to, report, written, envelopeLength, attachments?.stored ?? []);
    return report.reportId;
  } finally {
    await written.release();
  }
}

function translateCollected(
  { clock }: Deps,
  { path, translate, headerId, hasNoId, held }: Collected,
  bytes: Buffer,
  attachments: Attachments | undefined,
  takenId: string | undefined,
): Translated {
  const json = parse(bytes, path);
  const own = hasNoId ? undefined : (eventIdOf(headerId) ?? eventIdOf(json.event_id));
  // Without an id, or with that of another report, equal bytes are the same report.
  const reportId = own === undefined || own === takenId ? held.sha256().toString("hex").slice(0, 32) : own;
  return translate(json, {
    reportId,
    receivedAt: clock.now(),
    attachments: attachments?.declared() ?? [],
    dropped: attachments?.cuts.dropped ?? [],
  });
}

/** Replaces bytes that are not UTF-8, which some clients send; the original keeps them. */
function parse(bytes: Buffer, path: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString("utf8").replace(/^\uFEFF/, ""));
  } catch {
    throw invalidEnvelope(path, "is not JSON");
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw invalidEnvelope(path, "must be an object");
  }
  return parsed as Record<string, unknown>;
}
