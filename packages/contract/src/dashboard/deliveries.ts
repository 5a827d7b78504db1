import Type from "typebox";
import { noContent, pathId } from "../operation.ts";
import { NullableText, NullableTimestamp, Timestamp, Uuid } from "../text.ts";
import { subscriberKinds } from "../world.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API for the deliveries of events (contract section 4). */

/** The states of a delivery. */
export const deliveryStates = ["waiting", "failed", "delivered", "dead"] as const;

const NullableInteger = (description: string) => Type.Unsafe<number | null>({ type: ["integer", "null"], description });

/** An attempt of a delivery. */
export const DeliveryAttempt = Type.Object(
  {
    number: Type.Integer({ description: "The number of the attempt, from 1." }),
    startedAt: Timestamp("When the attempt started."),
    durationMs: Type.Integer({ description: "The duration in milliseconds." }),
    status: NullableInteger("The HTTP status of the response. Null if there was no response."),
    response: NullableText("The first 4 KiB of the response as text. Links to attachments are redacted."),
    reason: NullableText(
      "Why the attempt failed, including the rule that refused an IP address. Null if it succeeded.",
    ),
  },
  { description: "An attempt of a delivery." },
);
export type DeliveryAttempt = Type.Static<typeof DeliveryAttempt>;

const subscriberFields = {
  id: Uuid("The subscriber."),
  kind: Type.Enum([...subscriberKinds]),
  receiver: Type.String({
    description:
      "The target: the name of a board, the URL of a webhook without its query, or only the host of a chat's URL, because its path is secret.",
  }),
} as const;

/** A delivery of an event, or of a reporter's message, to one subscriber. */
export const Delivery = Type.Object(
  {
    id: Uuid("The delivery. Webhooks get it in the header `webhook-id`."),
    subscriber: Type.Object({
      ...subscriberFields,
      enabled: Type.Boolean({ description: "Whether the subscriber gets events." }),
      pausedUntil: NullableTimestamp(
        "When deliveries resume, if they are paused after failures. Null if they are not paused.",
      ),
    }),
    state: Type.Enum([...deliveryStates], {
      description:
        "The state: `waiting` for an attempt, `failed` and to be retried, `delivered`, or `dead` (failed permanently).",
    }),
    messageNumber: NullableInteger("The message of the thread to deliver. Null if the event itself is delivered."),
    createdAt: Timestamp("When the report was accepted."),
    dueAt: NullableTimestamp(
      "When the next attempt is due, unless the subscriber is paused. Null after the last attempt.",
    ),
    isUnderWay: Type.Boolean({ description: "Whether an attempt is running." }),
    settledAt: NullableTimestamp("When the delivery succeeded or failed permanently."),
    isReplay: Type.Boolean({ description: "Whether a replay created the delivery." }),
    attemptCount: Type.Integer({ description: "The number of attempts." }),
    attempts: Type.Array(DeliveryAttempt, {
      description: "Latest first, at most 20. Attempts are deleted after `LODGE_DELIVERY_RETENTION_DAYS`.",
    }),
  },
  { description: "A delivery of an event to a subscriber." },
);
export type Delivery = Type.Static<typeof Delivery>;

/** The deliveries of an event. */
export const EventDeliveries = Type.Object(
  {
    deliveries: Type.Array(Delivery, { description: "Oldest first, at most 200." }),
    filtered: Type.Array(
      Type.Object({
        subscriber: Type.Object(subscriberFields),
        by: Type.String({
          description:
            "The part of the filter that did not match: kind, environment, version, tag, error type or new problems only.",
        }),
      }),
      { description: "The existing subscribers whose filter did not match the event." },
    ),
  },
  { description: "The deliveries of an event." },
);
export type EventDeliveries = Type.Static<typeof EventDeliveries>;

const deliveryPath = pathId("deliveryId", "delivery_not_found", "The delivery.");

export const listEventDeliveries = dashboard({
  id: "listEventDeliveries",
  method: "GET",
  path: "/api/dashboard/events/{eventId}/deliveries",
  role: "member",
  params: pathId("eventId", "event_not_found", "The event."),
  answers: { 200: EventDeliveries },
  errors: ["event_not_found"],
  summary: "List the deliveries of an event",
});

export const resendDelivery = dashboard({
  id: "resendDelivery",
  method: "POST",
  path: "/api/dashboard/deliveries/{deliveryId}/resend",
  role: "admin",
  params: deliveryPath,
  answers: noContent,
  errors: ["delivery_not_found", "subscriber_disabled"],
  summary: "Resend a delivery",
  description:
    "Resends a successful or failed delivery with the same id and the full retry schedule. A waiting delivery is attempted immediately or, if its subscriber is paused, when the pause ends.",
});

export const skipDelivery = dashboard({
  id: "skipDelivery",
  method: "POST",
  path: "/api/dashboard/deliveries/{deliveryId}/skip",
  role: "admin",
  params: deliveryPath,
  answers: noContent,
  errors: ["delivery_not_found", "delivery_settled"],
  summary: "Skip a delivery",
  description:
    "Skips a waiting or failing delivery. A subscriber with ordered deliveries continues with the next one. A running attempt may still succeed.",
});

export const getDeliveryCurl = dashboard({
  id: "getDeliveryCurl",
  method: "GET",
  path: "/api/dashboard/deliveries/{deliveryId}/curl",
  role: "admin",
  params: deliveryPath,
  answers: {
    200: Type.Object({
      command: NullableText(
        "A command line for a POSIX shell that sends the message with a current signature. Null for kinds of subscribers that do not receive messages.",
      ),
    }),
  },
  errors: ["delivery_not_found"],
  summary: "Get a delivery as a curl command",
});
