import Type from "typebox";
import { type Media, operation } from "./operation.ts";

/** The requests of Sentry's clients if an app's DSN is set (contract section 3, Sentry's protocol). */

const params = Type.Object({ appNumber: Type.String({ description: "The number of the app, as in its DSN." }) });

const errors = [
  "rate_limit_exceeded",
  "org_suspended",
  "app_disabled",
  "invalid_sentry_envelope",
  "payload_too_large",
  "request_timeout",
] as const;

const envelope: Media = {
  media: "application/x-sentry-envelope",
  description: "An envelope: a line of JSON, then items, each a line of JSON and its bytes.",
  schema: Type.String({ contentMediaType: "application/octet-stream" }),
};

const event: Media = {
  media: "application/json",
  description: "An event of Sentry's: JSON, or base64 of that in zlib.",
  schema: Type.Object({}, { additionalProperties: true }),
};

const compressed = "`Content-Encoding` can be gzip, deflate, br or zstd.";

/** `POST /api/{appNumber}/envelope`, with or without a slash at its end. */
export const submitSentryEnvelope = operation({
  id: "submitSentryEnvelope",
  method: "POST",
  path: "/api/{appNumber}/envelope",
  door: "ingest",
  credential: { kind: "sentryKey" },
  params,
  body: envelope,
  answers: {
    200: Type.Object(
      { id: Type.Optional(Type.String({ description: "The id of the event, if the envelope has one." })) },
      { description: "The envelope was received." },
    ),
  },
  errors: [...errors],
  summary: "Submit an envelope from a Sentry SDK",
  description: `Stores the envelope's event with its attachments as a report, and its feedback as reports. Counts everything else without storing it. ${compressed}`,
});

/** `POST /api/{appNumber}/store`, with or without a slash at its end. */
export const submitSentryEvent = operation({
  id: "submitSentryEvent",
  method: "POST",
  path: "/api/{appNumber}/store",
  door: "ingest",
  credential: { kind: "sentryKey" },
  params,
  body: event,
  answers: {
    200: Type.Object(
      { id: Type.String({ description: "The id of the event." }) },
      { description: "The event was received." },
    ),
  },
  errors: [...errors],
  summary: "Submit an event from an old Sentry SDK",
  description: `Stores the event as a report. ${compressed}`,
});
