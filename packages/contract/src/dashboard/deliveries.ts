import Type from "typebox";
import { noContent, pathId } from "../operation.ts";
import { NullableText, NullableTimestamp, Timestamp, Uuid } from "../text.ts";
import { subscriberKinds } from "../world.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API: what became of telling an app's subscribers of an event (contract section 4). */

/** The states of a delivery. */
export const deliveryStates = ["waiting", "failed", "delivered", "dead"] as const;

const NullableInteger = (description: string) => Type.Unsafe<number | null>({ type: ["integer", "null"], description });

/** One try at a delivery. */
export const DeliveryAttempt = Type.Object(
  {
    number: Type.Integer({ description: "Its place among the attempts, from 1." }),
    startedAt: Timestamp("When it began."),
    durationMs: Type.Integer({ description: "How long it took." }),
    status: NullableInteger("The HTTP status that was answered; null where there was no answer, or nobody to answer."),
    response: NullableText("The first 4 KiB of what was answered, as text; links to attachments are struck out."),
    reason: NullableText("Why it failed, with the rule where an address was refused; null where it succeeded."),
  },
  { description: "One try at a delivery." },
);
export type DeliveryAttempt = Type.Static<typeof DeliveryAttempt>;

const subscriberFields = {
  id: Uuid("The subscriber."),
  kind: Type.Enum([...subscriberKinds]),
  receiver: Type.String({
    description:
      "Who it is: a board's name; a webhook's address without its query; of a chat only the host, since its path is a secret.",
  }),
} as const;

/** An event, or an answer of its reporter, to one subscriber. */
export const Delivery = Type.Object(
  {
    id: Uuid("The delivery; what a webhook is sent as `webhook-id`."),
    subscriber: Type.Object({
      ...subscriberFields,
      enabled: Type.Boolean({ description: "Whether it is told of events." }),
      pausedUntil: NullableTimestamp("Until when nothing is attempted at it; null where it is not left alone."),
    }),
    state: Type.Enum([...deliveryStates], {
      description:
        "waiting for its first attempt or to be sent again, failed and to be tried again, delivered, or dead: given up.",
    }),
    messageNumber: NullableInteger(
      "The message of the event's thread that it tells of; null where it tells of the event.",
    ),
    createdAt: Timestamp("When it was accepted."),
    dueAt: NullableTimestamp("When it is attempted next, unless its subscriber is left alone then; null once settled."),
    isUnderWay: Type.Boolean({ description: "Whether it is being attempted at the moment." }),
    settledAt: NullableTimestamp("When it was delivered or given up."),
    isReplay: Type.Boolean({ description: "Whether a replay has sent it." }),
    attemptCount: Type.Integer({ description: "How many attempts were made." }),
    attempts: Type.Array(DeliveryAttempt, {
      description: "The latest first, at most 20. They are deleted after LODGE_DELIVERY_RETENTION_DAYS.",
    }),
  },
  { description: "An event to one subscriber." },
);
export type Delivery = Type.Static<typeof Delivery>;

/** What became of telling of an event. */
export const EventDeliveries = Type.Object(
  {
    deliveries: Type.Array(Delivery, { description: "In the order in which they were accepted, at most 200." }),
    filtered: Type.Array(
      Type.Object({
        subscriber: Type.Object(subscriberFields),
        by: Type.String({
          description:
            "What its filter left the event out by: kind, environment, version, tag, error type or new problems only.",
        }),
      }),
      { description: "Subscribers whose filter left the event out when it was accepted, and that are still there." },
    ),
  },
  { description: "What became of telling of an event." },
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
  summary: "Send a delivery again",
  description:
    "Under the same id, with the whole retry schedule before it, whether it was delivered or given up. One that waits is attempted as soon as its subscriber is not left alone.",
});

export const skipDelivery = dashboard({
  id: "skipDelivery",
  method: "POST",
  path: "/api/dashboard/deliveries/{deliveryId}/skip",
  role: "admin",
  params: deliveryPath,
  answers: noContent,
  errors: ["delivery_not_found", "delivery_settled"],
  summary: "Give a delivery up",
  description:
    "One that waits or is tried again. A subscriber that wants its deliveries in order goes on with the next one. One that is under way may still arrive.",
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
        "A line for a POSIX shell that sends it with a signature of now; null for a kind that is not told by a message.",
      ),
    }),
  },
  errors: ["delivery_not_found"],
  summary: "Show a delivery as a curl command",
});
