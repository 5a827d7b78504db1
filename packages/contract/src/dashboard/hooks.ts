import Type from "typebox";
import { hookProjectsMax } from "../limits.ts";
import { noContent, pathId, pathIds } from "../operation.ts";
import { NullableText, NullableTimestamp, Timestamp, Uuid, WebAddress } from "../text.ts";
import { DeliveryAttempt, deliveryStates } from "./deliveries.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API for the webhooks of an organisation, which get its alerts and the chosen ticket events. For owners and admins. */

/** The types of ticket events for webhooks (contract section 14). */
export const ticketTypes = [
  "ticket.created",
  "ticket.changed",
  "ticket.moved",
  "ticket.commented",
  "ticket.done",
  "ticket.archived",
] as const;
export type TicketType = (typeof ticketTypes)[number];

const closed = { additionalProperties: false } as const;

const TicketTypes = Type.Array(Type.Enum([...ticketTypes]), {
  uniqueItems: true,
  description: "The ticket events that are sent to the webhook. Empty for none.",
});
const ProjectIds = Type.Union(
  [Type.Array(Uuid("The project."), { minItems: 1, maxItems: hookProjectsMax, uniqueItems: true }), Type.Null()],
  { description: "The projects whose ticket events are sent to the webhook. Null for all." },
);

const Hook = Type.Object(
  {
    id: Uuid("The webhook."),
    url: Type.String({ description: "The URL that messages are sent to." }),
    createdAt: Timestamp("When it was created."),
    previousSecretEndsAt: NullableTimestamp(
      "When the previous secret expires: until then, Lodge signs messages with both secrets. Null if there is none.",
    ),
    lastSentAt: NullableTimestamp("When the last message was sent. Null if never."),
    lastFailure: Type.Union([Type.String(), Type.Null()], {
      description: "Why the latest attempt failed. Null if it succeeded.",
    }),
    ticketTypes: TicketTypes,
    projectIds: ProjectIds,
    enabled: Type.Boolean({ description: "Whether messages are sent." }),
    disabledReason: NullableText("Why Lodge disabled the webhook. Null if it did not."),
  },
  { description: "A webhook of the organisation." },
);

/** The webhooks of an organisation. */
export const HookList = Type.Object(
  { hooks: Type.Array(Hook, { description: "Oldest first." }) },
  { description: "The webhooks of the organisation." },
);
export type HookList = Type.Static<typeof HookList>;

/** A webhook to create. */
export const CreateHook = Type.Object(
  {
    url: WebAddress("The URL to send messages to: http or https."),
    ticketTypes: Type.Optional(TicketTypes),
    projectIds: Type.Optional(ProjectIds),
  },
  { ...closed, description: "The webhook to create." },
);
export type CreateHook = Type.Static<typeof CreateHook>;

/** The changes to a webhook. */
export const ChangeHook = Type.Object(
  {
    ticketTypes: Type.Optional(TicketTypes),
    projectIds: Type.Optional(ProjectIds),
    enabled: Type.Optional(Type.Boolean({ description: "Whether messages are sent." })),
  },
  { ...closed, description: "The fields to change." },
);
export type ChangeHook = Type.Static<typeof ChangeHook>;

/** The deliveries to show. */
export const HookDeliveryQuery = Type.Object(
  {
    state: Type.Optional(Type.Enum([...deliveryStates], { description: "Only deliveries in this state." })),
    cursor: Type.Optional(Uuid("A `nextCursor` from an earlier response.")),
  },
  closed,
);
export type HookDeliveryQuery = Type.Static<typeof HookDeliveryQuery>;

/** A page of deliveries of ticket events to a webhook. */
export const HookDeliveryPage = Type.Object(
  {
    deliveries: Type.Array(
      Type.Object({
        id: Uuid("The delivery. The webhook gets it in the header `webhook-id`."),
        type: Type.Enum([...ticketTypes], { description: "The kind of event." }),
        ticket: Type.Object(
          {
            id: Uuid("The ticket."),
            title: Type.String({ description: "The current title." }),
            number: NullableText("The ticket's number, like WEB-214."),
          },
          { description: "The ticket." },
        ),
        state: Type.Enum([...deliveryStates], {
          description:
            "The state: `waiting` for an attempt, `failed` and to be retried, `delivered`, or `dead` (failed permanently).",
        }),
        createdAt: Timestamp("When the ticket changed."),
        dueAt: NullableTimestamp("When the next attempt is due. Null after the last attempt."),
        settledAt: NullableTimestamp("When the delivery succeeded or failed permanently."),
        attemptCount: Type.Integer({ description: "The number of attempts." }),
        attempts: Type.Array(DeliveryAttempt, { description: "Latest first, at most 20." }),
      }),
      { description: "Latest first, at most 50." },
    ),
    nextCursor: NullableText("The `cursor` for the next page. Null on the last page."),
  },
  { description: "A page of the webhook's deliveries of ticket events. Alerts are not listed." },
);
export type HookDeliveryPage = Type.Static<typeof HookDeliveryPage>;

/** The deliveries to resend. */
export const ResendHookDeliveries = Type.Object(
  {
    state: Type.Enum(["dead", "all"], {
      description: "`dead`: permanently failed deliveries. `all`: successful deliveries as well.",
    }),
    from: Timestamp("Only tickets that changed at this time or later."),
    until: Type.Optional(Timestamp("Only tickets that changed before this time. Defaults to now.")),
  },
  { ...closed, description: "The deliveries to resend." },
);
export type ResendHookDeliveries = Type.Static<typeof ResendHookDeliveries>;

/** A webhook, with its signing secret. */
export const NewHook = Type.Object(
  { hook: Hook, secret: Type.String({ description: "The signing secret. Returned only once." }) },
  { description: "The webhook with its signing secret." },
);
export type NewHook = Type.Static<typeof NewHook>;

const hookPath = pathId("hookId", "hook_not_found", "The webhook.");

export const listHooks = dashboard({
  id: "listHooks",
  method: "GET",
  path: "/api/dashboard/hooks",
  role: "admin",
  answers: { 200: HookList },
  errors: [],
  summary: "List the webhooks of the organisation",
  staleAfter: ["hooks.changed"],
});

export const createHook = dashboard({
  id: "createHook",
  method: "POST",
  path: "/api/dashboard/hooks",
  role: "admin",
  body: CreateHook,
  answers: { 201: NewHook },
  errors: ["too_many", "project_not_found"],
  summary: "Create a webhook of the organisation",
  description:
    "The webhook gets `subscriber.disabled`, `delivery.dead`, `quota.warning`, `organisation.suspended`, `run.finished` and the chosen ticket events, signed as specified by Standard Webhooks.",
});

export const changeHook = dashboard({
  id: "changeHook",
  method: "PATCH",
  path: "/api/dashboard/hooks/{hookId}",
  role: "admin",
  params: hookPath,
  body: ChangeHook,
  answers: { 200: Hook },
  errors: ["hook_not_found", "project_not_found"],
  summary: "Update a webhook of the organisation",
  description:
    "Sets the ticket events and projects, and enables or disables the webhook. Disabling the webhook fails its waiting deliveries permanently.",
});

export const listHookDeliveries = dashboard({
  id: "listHookDeliveries",
  method: "GET",
  path: "/api/dashboard/hooks/{hookId}/deliveries",
  role: "admin",
  params: hookPath,
  query: HookDeliveryQuery,
  answers: { 200: HookDeliveryPage },
  errors: ["hook_not_found"],
  summary: "List the deliveries of a webhook of the organisation",
  description: "Successful and permanently failed deliveries are deleted after `LODGE_DELIVERY_RETENTION_DAYS`.",
  staleAfter: ["hooks.changed"],
});

export const resendHookDelivery = dashboard({
  id: "resendHookDelivery",
  method: "POST",
  path: "/api/dashboard/hooks/{hookId}/deliveries/{deliveryId}/resend",
  role: "admin",
  params: pathIds({ hookId: "The webhook.", deliveryId: "The delivery." }, "delivery_not_found"),
  answers: noContent,
  errors: ["hook_not_found", "delivery_not_found", "hook_disabled"],
  summary: "Resend a delivery of a webhook of the organisation",
  description: "Sends the same message with the same `webhook-id` and the full retry schedule.",
});

export const resendHookDeliveries = dashboard({
  id: "resendHookDeliveries",
  method: "POST",
  path: "/api/dashboard/hooks/{hookId}/resend",
  role: "admin",
  params: hookPath,
  body: ResendHookDeliveries,
  answers: {
    200: Type.Object({ count: Type.Integer({ description: "The number of resent deliveries, at most 10,000." }) }),
  },
  errors: ["hook_not_found", "hook_disabled"],
  summary: "Resend deliveries of a webhook of the organisation",
  description: "Sends the messages of a period again, oldest first, each with its original `webhook-id`.",
});

export const rotateHookSecret = dashboard({
  id: "rotateHookSecret",
  method: "POST",
  path: "/api/dashboard/hooks/{hookId}/secrets",
  role: "admin",
  params: hookPath,
  answers: { 201: Type.Object({ secret: Type.String({ description: "The new secret. Returned only once." }) }) },
  errors: ["hook_not_found"],
  summary: "Rotate the secret of a webhook of the organisation",
  description:
    "For 24 hours, Lodge also signs messages with the previous secret. Older secrets stop working immediately.",
});

export const deleteHook = dashboard({
  id: "deleteHook",
  method: "DELETE",
  path: "/api/dashboard/hooks/{hookId}",
  role: "admin",
  params: hookPath,
  answers: noContent,
  errors: ["hook_not_found"],
  summary: "Delete a webhook of the organisation",
});
