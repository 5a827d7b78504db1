import Type from "typebox";
import { EnvelopeError } from "./envelope-error.ts";
import {
  attachmentsMax,
  debugIdsMax,
  envelopeBytesMax,
  envelopeDepthMax,
  envelopeValuesMax,
  fingerprintLengthMax,
  fingerprintStringsMax,
  installIdLengthMax,
  messageLengthMax,
  platformLengthMax,
  reportIdLengthMax,
  titleLengthMax,
} from "./limits.ts";
import { type Media, operation } from "./operation.ts";
import { DeviceAccess, ThreadAccess } from "./replies.ts";
import { Sha256, Text, Timestamp } from "./text.ts";

/** The kinds of reports. */
export const reportKinds = ["bug", "crash", "feedback", "question", "other"] as const;

/** The default kind of a report. */
export const defaultReportKind = "bug";

/** The name of the envelope's part. */
export const envelopePartName = "envelope";

// An envelope is stored byte for byte, so its strings may contain NUL and unpaired surrogates, unlike database texts.
const Anything = (maxLength: number, description: string) => Type.String({ maxLength, description });
const optionalStrings = <K extends string>(...names: K[]) =>
  Object.fromEntries(names.map((name) => [name, Type.Optional(Type.String())])) as Record<
    K,
    Type.TOptional<Type.TString>
  >;

const DeclaredAttachment = Type.Object({
  partName: Type.String({
    minLength: 1,
    maxLength: 100,
    description: "The name of the multipart part with the bytes.",
  }),
  sha256: Sha256("The SHA-256 of the bytes, in hexadecimal."),
  byteLength: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "The number of bytes." }),
  filename: Type.Optional(Anything(255, "The file name for downloads.")),
  contentType: Type.Optional(Anything(255, "The media type.")),
  kind: Type.Optional(Type.Enum(["screenshot", "log", "recording", "other"])),
});
export type DeclaredAttachment = Type.Static<typeof DeclaredAttachment>;

/** How severe a report is. */
export const levels = ["fatal", "error", "warning", "info", "debug"] as const;

/** The envelope of a report, version 1 (interface section 2.4, contract section 3). Only reportId is required. */
export const Envelope = Type.Object(
  {
    reportId: Text({
      minLength: 1,
      maxLength: reportIdLengthMax,
      description: "Identifies the report within the app, permanently. Retries send the same value.",
    }),
    attachments: Type.Optional(
      Type.Array(DeclaredAttachment, { maxItems: attachmentsMax, description: "One entry for each attachment part." }),
    ),
    kind: Type.Optional(Type.Enum([...reportKinds], { default: defaultReportKind })),
    title: Type.Optional(Anything(titleLengthMax, "The title of the report, in one line.")),
    message: Type.Optional(Anything(messageLengthMax, "The reporter's message.")),
    occurredAt: Type.Optional(Timestamp("When it happened, by the reporter's clock (RFC 3339).")),
    installId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: installIdLengthMax,
        description: "Identifies the install: one copy of the app.",
      }),
    ),
    user: Type.Optional(Type.Object(optionalStrings("id", "email", "name"))),
    app: Type.Optional(Type.Object(optionalStrings("version", "build", "environment", "release"))),
    device: Type.Optional(Type.Object(optionalStrings("model", "os", "osVersion", "locale", "screen", "userAgent"))),
    sdk: Type.Optional(Type.Object({ name: Type.String(), version: Type.String() })),
    platform: Type.Optional(Anything(platformLengthMax, "The platform or language: `python`, `java`, `node`, …")),
    level: Type.Optional(Type.Enum([...levels], { description: "The severity." })),
    error: Type.Optional(EnvelopeError),
    debugIds: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: Type.String({ maxLength: 100 }),
          maxProperties: debugIdsMax,
          description:
            "The debug ids of the bundled files in the stack, keyed by the files' URLs in the stack. The UUID of a ProGuard or R8 " +
            "mapping file is under `proguard`.",
        },
      ),
    ),
    fingerprint: Type.Optional(
      Type.Array(
        Anything(
          fingerprintLengthMax,
          "One part of the fingerprint. The order matters. `{{ default }}` stands for Lodge's own grouping.",
        ),
        {
          maxItems: fingerprintStringsMax,
          description: "Reports with the same fingerprint belong to the same problem.",
        },
      ),
    ),
    breadcrumbs: Type.Optional(
      Type.Array(
        Type.Object({
          at: Timestamp("When it happened (RFC 3339)."),
          category: Type.String(),
          message: Type.String(),
          level: Type.Optional(Type.String()),
          data: Type.Optional(Type.Unknown()),
        }),
        { maxItems: 200, description: "The breadcrumbs, oldest first." },
      ),
    ),
    tags: Type.Optional(
      // Not a record, because the pattern of its names would not match line breaks.
      Type.Object(
        {},
        { additionalProperties: Type.String(), maxProperties: 50, description: "Tags to filter and group by." },
      ),
    ),
    context: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: "Additional data: any JSON object." }),
    ),
    dropped: Type.Optional(
      Type.Array(
        Type.Object({
          partName: Type.String(),
          reason: Type.String(),
          byteLength: Type.Optional(Type.Integer({ minimum: 0 })),
        }),
        { description: "The parts that the SDK removed before sending." },
      ),
    ),
  },
  {
    additionalProperties: false,
    description:
      `A report: at most ${envelopeBytesMax.toLocaleString("en")} bytes of JSON after decompression and ` +
      `${envelopeValuesMax.toLocaleString("en")} values, with objects and lists nested at most ` +
      `${envelopeDepthMax.toLocaleString("en")} levels deep.`,
  },
);
export type Envelope = Type.Static<typeof Envelope>;

/** The response of `POST /api/ingest`, status 200 (interface section 2.5). */
export const Receipt = Type.Object(
  {
    status: Type.Literal("received"),
    eventId: Type.String({ description: "The id of the stored event; for a duplicate, the id of the original." }),
    deliveryCount: Type.Integer({ description: "The number of subscribers that the event is delivered to." }),
    idempotent: Type.Boolean({ description: "Whether this reportId was already received." }),
    thread: Type.Optional(ThreadAccess),
    device: Type.Optional(DeviceAccess),
  },
  { description: "The report was received." },
);
export type Receipt = Type.Static<typeof Receipt>;

/** The response of `GET /api/config`, status 200 (contract section 3). */
export const ClientConfig = Type.Object(
  {
    appId: Type.String(),
    enabled: Type.Boolean({ description: "Whether the SDK should send reports." }),
    replies: Type.Object({ enabled: Type.Boolean() }),
    limits: Type.Object({
      requestBytes: Type.Integer(),
      envelopeBytes: Type.Integer(),
      attachmentBytes: Type.Integer(),
      attachments: Type.Integer(),
    }),
    kinds: Type.Array(Type.Enum([...reportKinds])),
    settings: Type.Object({}, { additionalProperties: true, description: "The app's own settings." }),
  },
  { description: "The configuration of an SDK." },
);
export type ClientConfig = Type.Static<typeof ClientConfig>;

const form: Media = {
  media: "multipart/form-data",
  description:
    "A part named envelope (JSON, optionally gzipped) and up to five attachments that the envelope declares.",
  schema: Type.Object(
    { envelope: Envelope },
    {
      additionalProperties: Type.String({
        contentMediaType: "application/octet-stream",
        description: "An attachment.",
      }),
    },
  ),
};

/** `POST /api/ingest` (interface section 4.2), its checks in the order of contract section 3. */
export const submitReport = operation({
  id: "submitReport",
  method: "POST",
  path: "/api/ingest",
  door: "ingest",
  credential: { kind: "sdkKey" },
  body: form,
  answers: { 200: Receipt },
  errors: [
    "rate_limit_exceeded",
    "org_suspended",
    "no_parts",
    "envelope_part_missing",
    "invalid_multipart",
    "envelope_too_large",
    "envelope_invalid_json",
    "schema_validation_failed",
    "attachment_unexpected",
    "attachment_missing",
    "bytelength_mismatch",
    "attachment_sha256_mismatch",
    "sha256_mismatch",
    "attachment_too_large",
    "payload_too_large",
    "request_timeout",
  ],
  summary: "Submit a report",
  description:
    "Send multipart/form-data with a part named envelope (JSON, optionally gzipped) and up to five attachments that the envelope declares.",
});

/** `GET /api/config` (interface section 4.3, contract section 3). It also works during a suspension. */
export const getClientConfig = operation({
  id: "getClientConfig",
  method: "GET",
  path: "/api/config",
  door: "ingest",
  credential: { kind: "sdkKey" },
  query: Type.Object({
    installId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: installIdLengthMax,
        description: "The id of the install, which then counts as active this month.",
      }),
    ),
  }),
  answers: { 200: ClientConfig, 304: Type.Void({ description: "Not modified since the ETag in If-None-Match." }) },
  errors: [],
  summary: "Get the configuration of an SDK",
});

const bytes = (description: string): Media => ({
  media: "application/octet-stream",
  description,
  schema: Type.String({ contentMediaType: "application/octet-stream" }),
});

/** `GET /api/artifacts/…`: downloads through the links in webhook messages (contract section 4). */
export const downloadArtifact = operation({
  id: "downloadArtifact",
  method: "GET",
  path: "/api/artifacts/{appId}/{eventId}/{part}",
  door: "ingest",
  credential: { kind: "link" },
  params: Type.Object({
    appId: Type.String(),
    eventId: Type.String(),
    part: Type.String({ description: "The attachment's index in the envelope (from 0), `envelope` or `original`." }),
  }),
  query: Type.Object({
    expires: Type.Optional(Type.String({ description: "When the link expires, in seconds since 1970." })),
    signature: Type.Optional(Type.String()),
  }),
  answers: {
    200: bytes("The complete file."),
    206: bytes("The requested range."),
    302: Type.Void({
      description: "A redirect to the object storage, valid for five minutes, if the server is configured to redirect.",
    }),
  },
  errors: ["forbidden", "link_expired", "not_found", "range_not_satisfiable"],
  summary: "Download an attachment",
  description:
    "Returns the file that a link in a webhook message points to, until the link expires. Supports a single byte range.",
});
