import Type from "typebox";
import { DeviceAccess, ThreadAccess } from "./replies.ts";
import { Sha256, Text, Timestamp } from "./text.ts";

/** What a report can be about. */
export const reportKinds = ["bug", "crash", "feedback", "question", "other"] as const;

/** The kind of a report that names none. */
export const defaultReportKind = "bug";

/** Largest envelope after decompression: 5 MB (interface section 8). */
export const envelopeBytesMax = 5_000_000;

/** Most values in an envelope: each object, list, string, number, true, false and null counts as one, wherever it is. */
export const envelopeValuesMax = 200_000;

/** How deep the objects and lists of an envelope may lie in one another. */
export const envelopeDepthMax = 100_000;

/** Most attachments of a report (interface section 8). */
export const attachmentsMax = 5;

/** Largest attachment: 25 MiB (interface section 8). */
export const attachmentBytesMax = 26_214_400;

/** Largest request: 25 MB (interface section 8). */
export const requestBytesMax = 25_000_000;

/** The part of a report that is its envelope. */
export const envelopePartName = "envelope";

// An envelope is stored byte for byte, so its strings may hold what a database cannot: NUL, unpaired surrogates.
const Anything = (maxLength: number, description: string) => Type.String({ maxLength, description });
const optionalStrings = <K extends string>(...names: K[]) =>
  Object.fromEntries(names.map((name) => [name, Type.Optional(Type.String())])) as Record<
    K,
    Type.TOptional<Type.TString>
  >;

const DeclaredAttachment = Type.Object({
  partName: Type.String({ minLength: 1, maxLength: 100, description: "The multipart part that holds the bytes." }),
  sha256: Sha256("SHA-256 of the bytes, in hexadecimal."),
  byteLength: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "Length of the bytes." }),
  filename: Type.Optional(Anything(255, "What to call it when it is downloaded.")),
  contentType: Type.Optional(Anything(255, "Its media type.")),
  kind: Type.Optional(Type.Enum(["screenshot", "log", "recording", "other"])),
});
export type DeclaredAttachment = Type.Static<typeof DeclaredAttachment>;

/** The envelope of a report, version 1 (interface section 2.4, contract section 3). Only reportId is required. */
export const Envelope = Type.Object(
  {
    reportId: Text({
      minLength: 1,
      maxLength: 200,
      description: "Identifies the report within the app, for ever. A retry sends the same one.",
    }),
    attachments: Type.Optional(
      Type.Array(DeclaredAttachment, { maxItems: attachmentsMax, description: "One entry for each attachment part." }),
    ),
    kind: Type.Optional(Type.Enum([...reportKinds], { default: defaultReportKind })),
    title: Type.Optional(Anything(200, "The report in one line.")),
    message: Type.Optional(Anything(20_000, "The report in its reporter's words.")),
    occurredAt: Type.Optional(Timestamp("When it happened, on the reporter's clock (RFC 3339).")),
    installId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: "Names one installation of the app." }),
    ),
    user: Type.Optional(Type.Object(optionalStrings("id", "email", "name"))),
    app: Type.Optional(Type.Object(optionalStrings("version", "build", "environment", "release"))),
    device: Type.Optional(Type.Object(optionalStrings("model", "os", "osVersion", "locale", "screen", "userAgent"))),
    sdk: Type.Optional(Type.Object({ name: Type.String(), version: Type.String() })),
    error: Type.Optional(
      Type.Object({ type: Type.String(), message: Type.String(), stack: Type.Optional(Type.String()) }),
    ),
    breadcrumbs: Type.Optional(
      Type.Array(
        Type.Object({
          at: Timestamp("When (RFC 3339)."),
          category: Type.String(),
          message: Type.String(),
          level: Type.Optional(Type.String()),
          data: Type.Optional(Type.Unknown()),
        }),
        { maxItems: 200, description: "What led up to it, oldest first." },
      ),
    ),
    tags: Type.Optional(
      // Not a record, whose names would be a pattern that a line break does not match.
      Type.Object(
        {},
        { additionalProperties: Type.String(), maxProperties: 50, description: "To filter and group by." },
      ),
    ),
    context: Type.Optional(Type.Object({}, { additionalProperties: true, description: "Anything else." })),
    dropped: Type.Optional(
      Type.Array(
        Type.Object({
          partName: Type.String(),
          reason: Type.String(),
          byteLength: Type.Optional(Type.Integer({ minimum: 0 })),
        }),
        { description: "What the SDK left out before sending." },
      ),
    ),
  },
  {
    additionalProperties: false,
    description:
      `A report: at most ${envelopeBytesMax} bytes of JSON after decompression, ${envelopeValuesMax} values, and ` +
      `objects and lists ${envelopeDepthMax} deep.`,
  },
);
export type Envelope = Type.Static<typeof Envelope>;

/** Answer of `POST /api/ingest`, status 200 (interface section 2.5). */
export const Receipt = Type.Object(
  {
    status: Type.Literal("received"),
    eventId: Type.String({ description: "The stored event; for a duplicate, the original." }),
    deliveryCount: Type.Integer({ description: "How many subscribers the event goes to." }),
    idempotent: Type.Boolean({ description: "Whether this reportId had been received before." }),
    thread: Type.Optional(ThreadAccess),
    device: Type.Optional(DeviceAccess),
  },
  { description: "A report was received." },
);
export type Receipt = Type.Static<typeof Receipt>;

/** Answer of `GET /api/config`, status 200 (contract section 3). */
export const ClientConfig = Type.Object(
  {
    appId: Type.String(),
    enabled: Type.Boolean({ description: "Whether the SDK should send at all." }),
    replies: Type.Object({ enabled: Type.Boolean() }),
    limits: Type.Object({
      requestBytes: Type.Integer(),
      envelopeBytes: Type.Integer(),
      attachmentBytes: Type.Integer(),
      attachments: Type.Integer(),
    }),
    kinds: Type.Array(Type.Enum([...reportKinds])),
    settings: Type.Object({}, { additionalProperties: true, description: "The app's own." }),
  },
  { description: "What an SDK needs to know before it sends." },
);
export type ClientConfig = Type.Static<typeof ClientConfig>;
