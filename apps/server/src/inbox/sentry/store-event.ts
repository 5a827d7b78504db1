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
import { type Beside, eventIdOf, type Translated, writeEnvelope } from "./translate-event.ts";

/** How an item becomes a report. */
type Kind = {
  /** Where it stands in the envelope. */
  path: string;
  translate: (json: Record<string, unknown>, beside: Beside) => Translated;
  /** The id that the envelope's header gives it. */
  headerId?: unknown;
  /** Whether the id in it is not its own. */
  hasNoId?: boolean;
};

/** The JSON of an item that becomes a report, byte for byte; the caller releases `held`. */
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
 * Translates what was collected and stores it as a report, with its original, unless its app has it already. Without `files`
 * it has none. Returns its reportId, which is never `takenId`.
 */
export async function storeCollected(
  deps: Deps,
  app: App,
  collected: Collected,
  files: { uploads: Uploads; attachments: Attachments } | undefined,
  takenId: string | undefined,
): Promise<string> {
  const { held } = collected;
  const written = holdBytes(deps.config.dataDir); // the envelope and its original, so that they are read at once
  let envelopeLength = 0;
  const translate = async () => {
    const original = await held.read();
    const translated = translateCollected(deps, collected, original, files?.attachments, takenId);
    const envelope = writeEnvelope(translated);
    envelopeLength = envelope.length;
    await written.write(envelope);
    await written.write(original);
    if (held.isLarge()) countRead(original.length + envelopeLength); // V8 would let such buffers lie
    const { reportId, installId } = translated;
    return { reportId, installId, facts: factsReader(app.filterDepth)?.(translated as Envelope) };
  };
  try {
    const report = await (held.isLarge() ? largeChecks.run(translate) : translate());
    const { uploads, attachments } = files ?? { uploads: new Uploads(deps), attachments: undefined };
    // Sentry's clients show no replies: nobody would read what is written in a thread.
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
  // Of one without an id, or with another report's, the same bytes are the same report.
  const reportId = own === undefined || own === takenId ? held.sha256().toString("hex").slice(0, 32) : own;
  return translate(json, {
    reportId,
    receivedAt: clock.now(),
    attachments: attachments?.declared() ?? [],
    dropped: attachments?.cuts.dropped ?? [],
  });
}

/** Bytes that are no UTF-8 are replaced: some clients send them, and the original has them. */
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
