import Type from "typebox";
import type { Envelope } from "./envelope.ts";
import { eventCursorLengthMax } from "./limits.ts";
import { apiToken, operation } from "./operation.ts";
import { Sha256, Slug, Timestamp, Uuid, WaitSeconds } from "./text.ts";

/** Most events of one page, and bytes of envelopes in it; its first event is always whole. */
export const eventsPageMax = 1_000;
export const eventsPageBytesMax = 4_194_304;

/** Requests of one token that a process answers at the same time. */
export const eventPollsMax = 4;

/** What is sent as `after` by who wants what happens from now on. */
export const latestEvents = "latest";

/** An event as receivers are told of it: the `data` of a webhook's message (contract section 4). */
export const EventData = Type.Object(
  {
    eventId: Uuid("The event."),
    appId: Uuid("The app that received it."),
    reportId: Type.String({ description: "What the SDK calls the report." }),
    receivedAt: Timestamp("When it was accepted."),
    envelope: Type.Optional(Type.Unsafe<Envelope>({ type: "object", description: "The envelope, as it was sent." })),
    envelopeUrl: Type.Optional(
      Type.String({ description: "Where an envelope above 256 KiB is; expires after 7 days." }),
    ),
    attachments: Type.Array(
      Type.Object({
        partName: Type.String({ description: "What the envelope calls it." }),
        filename: Type.Union([Type.String(), Type.Null()]),
        contentType: Type.Union([Type.String(), Type.Null()]),
        byteLength: Type.Integer(),
        sha256: Sha256("SHA-256 of its bytes, in hexadecimal."),
        url: Type.String({ description: "Where its bytes are; expires after 7 days." }),
      }),
      { description: "In the order of the envelope." },
    ),
  },
  { description: "An event." },
);
export type EventData = Type.Static<typeof EventData>;

/** Answer of `GET /api/v1/events` (contract section 8). Later versions may add fields. */
export const PolledEvents = Type.Object(
  {
    events: Type.Array(EventData, {
      description: `In the order in which they became readable, at most ${eventsPageMax} and 4 MiB of envelopes.`,
    }),
    next: Type.String({ description: "What to ask with as `after` for those that follow." }),
  },
  { description: "Events, and where to go on." },
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
          description: `The \`next\` of the page before. None: from the oldest event that is kept. \`${latestEvents}\`: from now on.`,
        }),
      ),
      app: Type.Optional(Slug),
      wait: Type.Optional(WaitSeconds("How long to wait for an event where there is none yet.")),
    },
    { additionalProperties: false },
  ),
  answers: { 200: PolledEvents },
  errors: ["app_not_found"],
  summary: "Read events, each at least once",
  description:
    "Events of the organisation's apps, whatever projects the token reaches. Asking with each page's `next` skips none that was accepted, however many are accepted meanwhile; one can come twice. A page with no events has a `next` as well. " +
    `A process answers ${eventPollsMax} requests of a token at the same time; more are \`rate_limit_exceeded\`.`,
});
