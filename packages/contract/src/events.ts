import Type from "typebox";
import type { Envelope } from "./envelope.ts";
import { eventCursorLengthMax } from "./limits.ts";
import { apiToken, operation } from "./operation.ts";
import { Sha256, Slug, Timestamp, Uuid, WaitSeconds } from "./text.ts";

/** The maximum number of events and bytes of envelopes in one page; a larger first event is still sent whole. */
export const eventsPageMax = 1_000;
export const eventsPageBytesMax = 4_194_304;

/** The maximum number of concurrent requests of one token in a process. */
export const eventPollsMax = 4;

/** The `after` for events from now on. */
export const latestEvents = "latest";

/** An event as receivers get it: the `data` of a webhook message (contract section 4). */
export const EventData = Type.Object(
  {
    eventId: Uuid("The event."),
    appId: Uuid("The app that sent the report."),
    reportId: Type.String({ description: "The id that the SDK gave the report." }),
    receivedAt: Timestamp("When the report was accepted."),
    envelope: Type.Optional(Type.Unsafe<Envelope>({ type: "object", description: "The envelope, as sent." })),
    envelopeUrl: Type.Optional(
      Type.String({ description: "The URL of an envelope above 256 KiB. Expires after 7 days." }),
    ),
    attachments: Type.Array(
      Type.Object({
        partName: Type.String({ description: "The part name in the envelope." }),
        filename: Type.Union([Type.String(), Type.Null()]),
        contentType: Type.Union([Type.String(), Type.Null()]),
        byteLength: Type.Integer(),
        sha256: Sha256("The SHA-256 of the bytes, in hexadecimal."),
        url: Type.String({ description: "The URL of the file. Expires after 7 days." }),
      }),
      { description: "The attachments, in the order of the envelope." },
    ),
    url: Type.String({ description: "The URL of the event in the dashboard." }),
    problem: Type.Union(
      [
        Type.Object({
          id: Uuid("The problem."),
          url: Type.String({ description: "The URL of the problem in the dashboard." }),
          title: Type.String({ description: "The title." }),
          isNew: Type.Boolean({ description: "Whether the event is the first one of the problem." }),
          isBack: Type.Boolean({ description: "Whether the event reopened the problem after it was resolved." }),
          events: Type.Integer({ description: "The number of times that the problem has occurred." }),
          users: Type.Integer({ description: "The number of affected users so far." }),
          isUserCountExact: Type.Boolean({ description: "Whether `users` is exact. Above 10,000 it is an estimate." }),
        }),
        Type.Null(),
      ],
      {
        description:
          "The event's problem, as of when the message is sent. Null if the event has no problem, such as feedback, or is not grouped " +
          "yet. Webhook messages wait up to 10 seconds for the problem; `listEvents` does not wait.",
      },
    ),
  },
  { description: "An event." },
);
export type EventData = Type.Static<typeof EventData>;

/** The response of `GET /api/v1/events` (contract section 8). Later versions may add fields. */
export const PolledEvents = Type.Object(
  {
    events: Type.Array(EventData, {
      description: `The events, in cursor order: at most ${eventsPageMax.toLocaleString("en")}, with at most 4 MiB of envelopes.`,
    }),
    next: Type.String({ description: "The `after` for the next page." }),
  },
  { description: "A page of events." },
);
export type PolledEvents = Type.Static<typeof PolledEvents>;

/** `GET /api/v1/events` (contract section 8). */
export const listEvents = operation({
  id: "listEvents",
  method: "GET",
  path: "/api/v1/events",
  door: "api",
  credential: apiToken("events:read"),
  query: Type.Object(
    {
      after: Type.Optional(
        Type.String({
          maxLength: eventCursorLengthMax,
          description: `The \`next\` of the previous page. Defaults to the oldest stored event. \`${latestEvents}\` starts now.`,
        }),
      ),
      app: Type.Optional(Slug),
      wait: Type.Optional(WaitSeconds("The number of seconds to wait if there is no event yet.")),
    },
    { additionalProperties: false },
  ),
  answers: { 200: PolledEvents },
  errors: ["app_not_found"],
  summary: "List events",
  description:
    "Returns the events of all apps of the organisation, even if the token is limited to some projects. Following `next` never skips an accepted event, but can return an event twice. An empty page also has a `next`. " +
    `Each server process serves ${eventPollsMax} concurrent requests per token; further ones fail with \`rate_limit_exceeded\`.`,
});
