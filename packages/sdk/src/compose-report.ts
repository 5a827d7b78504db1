import {
  attachmentsMax,
  debugIdsMax,
  fingerprintLengthMax,
  fingerprintStringsMax,
  messageLengthMax,
  titleLengthMax,
} from "@lodge/contract/limits";
import type { Options } from "./options.ts";
import type { Platform } from "./platform.ts";
import { isSecretName, redactText, struckOut } from "./redact.ts";
import type { Part, QueuedReport } from "./store.ts";
import { isError, toJson } from "./to-json.ts";
import type { Attachment, Breadcrumb, Dropped, Envelope, Report, ReportKind } from "./types.ts";

const kinds: ReportKind[] = ["bug", "crash", "feedback", "question", "other"];
const tagsMax = 50;
const nameLengthMax = 255;
const causesMax = 5;

declare const __SDK_VERSION__: string;

declare global {
  /** The debug ids of the page's bundled files, by their addresses: `lodge sourcemaps inject` has each file tell its own. */
  var lodgeDebugIds: Record<string, string> | undefined;
}

/** What a report gets that nobody has said. */
export type Circumstances = { installId: string | undefined; breadcrumbs: readonly Breadcrumb[] };

/** Makes of what is handed over, but for its attachments, what the server takes; says in `dropped` what that leaves out. */
export function composeReport(
  platform: Platform,
  { app, user, redact = true }: Options,
  { title, message, error, tags, context, fingerprint, kind = error === undefined ? "bug" : "crash" }: Report,
  { installId, breadcrumbs }: Circumstances,
): Envelope {
  const dropped: Dropped[] = [];
  const isKnown = kinds.includes(kind);
  if (!isKnown) dropped.push({ partName: "kind", reason: "unknown" });
  const allTags = Object.entries(strings(tags));
  for (const [name] of allTags.slice(tagsMax)) dropped.push({ partName: `tag ${name}`, reason: "too_many" });
  const told = {
    ...(title !== undefined && { title: `${title}` }),
    ...(message !== undefined && { message: `${message}` }),
    ...(error !== undefined && { error: describeError(error) }),
    ...(breadcrumbs.length > 0 && { breadcrumbs }),
    ...(allTags.length > 0 && { tags: Object.fromEntries(allTags.slice(0, tagsMax)) }),
    about: [platform.context(), context],
  };
  const { about, ...redacted } = toJson(told, (text, name) => {
    if (redact === false) return text;
    const safe = isSecretName(name) ? struckOut : redactText(text);
    return typeof redact === "function" ? redact(safe) : safe;
  }) as Partial<Envelope> & { about: object[] };
  // What a secret is struck out of may be longer than it was, and half a secret is not known for one.
  for (const [partName, lengthMax] of [
    ["title", titleLengthMax],
    ["message", messageLengthMax],
  ] as const) {
    const points = [...(redacted[partName] ?? "").slice(0, 2 * lengthMax + 1)];
    if (points.length <= lengthMax) continue;
    dropped.push({ partName, reason: "too_long", byteLength: told[partName]?.length ?? 0 });
    redacted[partName] = points.slice(0, lengthMax).join("");
  }
  const debugIds = Object.entries(globalThis.lodgeDebugIds ?? {}).filter(([file]) =>
    redacted.error?.stack?.includes(file),
  );
  return {
    reportId: uuidv7(platform.randomBytes(10)),
    kind: isKnown ? kind : "other",
    occurredAt: new Date().toISOString(),
    ...(installId !== undefined && { installId }),
    ...(user !== undefined && { user: strings(typeof user === "function" ? ask(user) : user) }),
    ...(fingerprint && {
      fingerprint: fingerprint.slice(0, fingerprintStringsMax).map((text) => text.slice(0, fingerprintLengthMax)),
    }),
    ...(app !== undefined && { app: strings(app) }),
    device: strings(platform.device()),
    sdk: { name: "@lodge/sdk", version: __SDK_VERSION__ },
    ...redacted,
    context: { ...about[0], ...about[1] },
    ...(debugIds[0] && { debugIds: Object.fromEntries(debugIds.slice(0, debugIdsMax)) }),
    ...(dropped.length > 0 && { dropped }),
  };
}

/** A report with its attachments, hashed; those that cannot be sent are told. */
export async function attach(
  envelope: Envelope,
  attachments: readonly Attachment[],
  digest: Platform["digest"],
): Promise<QueuedReport> {
  const dropped: Dropped[] = [...(envelope.dropped ?? [])];
  const parts: Part[] = [];
  for (const attachment of attachments) {
    const reason = !digest ? "insecure_page" : parts.length === attachmentsMax ? "too_many" : undefined;
    if (reason) dropped.push({ partName: attachment.name, reason });
    else if (digest) {
      try {
        parts.push(await declare(attachment, `attachment-${parts.length + 1}`, digest));
      } catch {
        dropped.push({ partName: `${attachment.name}`, reason: "unreadable" }); // a file that was changed or moved, say
      }
    }
  }
  return { envelope: { ...envelope, ...(dropped.length > 0 && { dropped }) }, parts };
}

/** What the app says; nothing where it throws, which must not cost a report. */
function ask<T>(tell: () => T): T | undefined {
  try {
    return tell();
  } catch {
    return undefined;
  }
}

/** Its values that are there, as text. */
const strings = (value: object = {}) =>
  Object.fromEntries(Object.entries(value).flatMap(([name, text]) => (text == null ? [] : [[name, `${text}`]])));

async function declare(
  { name, data, contentType, kind }: Attachment,
  partName: string,
  digest: NonNullable<Platform["digest"]>,
): Promise<Part> {
  const blob = data instanceof Blob ? data : new Blob([data as BlobPart]);
  const bytes = await blob.arrayBuffer();
  const type = (contentType ?? (blob.type || (typeof data === "string" ? "text/plain" : ""))).slice(0, nameLengthMax);
  return {
    partName,
    sha256: toHex(new Uint8Array(await digest(bytes))),
    byteLength: bytes.byteLength,
    filename: `${name}`.slice(0, nameLengthMax),
    ...(type && { contentType: type }),
    ...(kind && { kind }),
    bytes,
  };
}

/** What was thrown, with what caused it at the end of its stack. Never throws. */
export const describeError = (thrown: unknown): NonNullable<Envelope["error"]> =>
  ask(() => readError(thrown)) ?? { type: typeof thrown, message: "[unreadable]" };

function readError(thrown: unknown): NonNullable<Envelope["error"]> {
  if (!isError(thrown)) return { type: typeof thrown, message: describe(thrown) };
  let stack = `${thrown.stack ?? ""}`;
  let cause: unknown = thrown.cause;
  for (let depth = 0; cause !== undefined && depth < causesMax; depth++) {
    const told = `${Object(cause).stack ?? ""}`;
    // Only Chromium's stacks begin with what the error says.
    const what = describe(isError(cause) ? `${cause}` : cause);
    stack += `\nCaused by: ${told.startsWith(what) ? told : `${what}\n${told}`}`;
    cause = Object(cause).cause;
  }
  return { type: `${thrown.name}`, message: `${thrown.message}`, ...(stack && { stack }) };
}

const describe = (value: unknown) => (typeof value === "object" ? `${JSON.stringify(toJson(value))}` : String(value));

/** Two digits for each byte. */
export const toHex = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** A UUIDv7: it sorts by the time at which it was made. */
function uuidv7(random: Uint8Array): string {
  const hex = Date.now().toString(16).padStart(12, "0") + toHex(random);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-${"89ab"[(random[2] ?? 0) & 3]}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
