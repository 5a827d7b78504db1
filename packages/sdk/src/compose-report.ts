import {
  attachmentsMax,
  debugIdsMax,
  fingerprintLengthMax,
  fingerprintStringsMax,
  messageLengthMax,
  titleLengthMax,
} from "@lodge/contract/limits";
import { attempt } from "./attempt.ts";
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
  /** The debug ids of the page's bundled files, by file address. Code from `lodge sourcemaps inject` registers them. */
  var lodgeDebugIds: Record<string, string> | undefined;
}

/** The data that the SDK adds to every report. */
export type Circumstances = { installId: string | undefined; breadcrumbs: readonly Breadcrumb[] };

/** Turns a report without its attachments into a valid envelope; `dropped` lists what is left out. */
export function composeReport(
  platform: Platform,
  { app, user, redact = true, queryParameters }: Options,
  { title, message, error, tags, context, fingerprint, kind = error === undefined ? "bug" : "crash" }: Report,
  { installId, breadcrumbs }: Circumstances,
): Envelope {
  const dropped: Dropped[] = [];
  const isKnown = kinds.includes(kind);
  if (!isKnown) dropped.push({ partName: "kind", reason: "unknown" });
  const allTags = Object.entries(strings(tags));
  for (const [name] of allTags.slice(tagsMax)) dropped.push({ partName: `tag ${name}`, reason: "too_many" });
  const content = {
    ...(strings({ title, message }) as Pick<Envelope, "title" | "message">),
    error: error !== undefined ? describeError(error) : undefined,
    breadcrumbs: breadcrumbs[0] && breadcrumbs,
    tags: allTags[0] && Object.fromEntries(allTags.slice(0, tagsMax)),
    about: [platform.context(), context],
  };
  const strike = (text: string, name: string) => {
    if (!redact) return text;
    const safe = isSecretName(name) ? struckOut : redactText(text, queryParameters);
    return redact === true ? safe : redact(safe);
  };
  const { about, ...redacted } = toJson(content, strike) as Partial<Envelope> & { about: object[] };
  // Truncate after redaction: it can lengthen a text, and would not recognise half a secret.
  for (const [partName, lengthMax] of [
    ["title", titleLengthMax],
    ["message", messageLengthMax],
  ] as const) {
    const points = [...(redacted[partName] ?? "").slice(0, 2 * lengthMax + 1)];
    if (points.length <= lengthMax) continue;
    dropped.push({ partName, reason: "too_long", byteLength: content[partName]?.length ?? 0 });
    redacted[partName] = points.slice(0, lengthMax).join("");
  }
  const debugIds = Object.entries(globalThis.lodgeDebugIds ?? {}).filter(([file]) =>
    redacted.error?.stack?.includes(file),
  );
  // JSON omits undefined fields.
  return {
    reportId: uuidv7(platform.randomBytes(10)),
    kind: isKnown ? kind : "other",
    occurredAt: new Date().toISOString(),
    installId,
    user: user && strings(typeof user === "function" ? attempt(user) : user),
    fingerprint: fingerprint?.slice(0, fingerprintStringsMax).map((text) => text.slice(0, fingerprintLengthMax)),
    app: app && strings(app),
    device: strings(platform.device()),
    sdk: { name: "@lodge/sdk", version: __SDK_VERSION__ },
    ...redacted,
    context: { ...about[0], ...about[1] },
    debugIds: debugIds[0] && Object.fromEntries(debugIds.slice(0, debugIdsMax)),
    dropped: dropped[0] && dropped,
  } as Envelope;
}

/** Adds hashed attachments to an envelope; `dropped` lists attachments that cannot be sent, and earlier losses. */
export async function attach(
  envelope: Envelope,
  attachments: readonly Attachment[],
  lost: readonly Dropped[],
  digest: Platform["digest"],
): Promise<QueuedReport> {
  const dropped: Dropped[] = [...(envelope.dropped ?? []), ...lost];
  const parts: Part[] = [];
  for (const attachment of attachments) {
    const reason = !digest ? "insecure_page" : parts.length === attachmentsMax ? "too_many" : undefined;
    if (reason) dropped.push({ partName: attachment.name, reason });
    else if (digest) {
      try {
        parts.push(await declare(attachment, `attachment-${parts.length + 1}`, digest));
      } catch {
        dropped.push({ partName: `${attachment.name}`, reason: "unreadable" }); // for example, a file that was changed or moved
      }
    }
  }
  return { envelope: { ...envelope, dropped }, parts };
}

/** The defined values of an object, as text. */
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

/** The thrown error. Its causes and the errors that it groups are appended to the stack. Never throws. */
export const describeError = (thrown: unknown): NonNullable<Envelope["error"]> =>
  attempt(() => isError(thrown) && readError(thrown)) || { type: typeof thrown, message: describe(thrown) };

function readError(thrown: Error): NonNullable<Envelope["error"]> {
  let stack = `${thrown.stack ?? ""}`;
  let cause: unknown = thrown.cause;
  for (let depth = 0; cause !== undefined && depth < causesMax; depth++) {
    stack += `\nCaused by: ${withStack(cause)}`;
    cause = Object(cause).cause;
  }
  const { errors } = thrown as AggregateError;
  if (Array.isArray(errors))
    for (const member of errors.slice(0, causesMax)) stack += `\n[errors]: ${withStack(member)}`;
  return { type: `${thrown.name}`, message: `${thrown.message}`, ...(stack && { stack }) };
}

/** A cause or grouped error as text. Only Chromium's stacks begin with the message. */
function withStack(error: unknown): string {
  const stack = `${Object(error).stack ?? ""}`;
  const message = describe(isError(error) ? `${error}` : error);
  return stack.startsWith(message) ? stack : `${message}\n${stack}`;
}

const describe = (value: unknown) => (typeof value === "object" ? `${JSON.stringify(toJson(value))}` : String(value));

/** The bytes in hexadecimal. */
export const toHex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** A UUIDv7, which sorts by creation time. */
function uuidv7(random: Uint8Array): string {
  const hex = Date.now().toString(16).padStart(12, "0") + toHex(random);
  return hex.replace(/(.{8})(.{4}).(.{3}).(.{3})/, "$1-$2-7$3-8$4-");
}
