import Type from "typebox";
import { noContent, pathId } from "../operation.ts";
import { NullableTimestamp, Timestamp, Uuid, WebAddress } from "../text.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API for the webhooks of an organisation, which get its alerts. For owners and admins. */

const closed = { additionalProperties: false } as const;

const Hook = Type.Object(
  {
    id: Uuid("The webhook."),
    url: Type.String({ description: "The address that messages are sent to." }),
    createdAt: Timestamp("When it was created."),
    previousSecretEndsAt: NullableTimestamp(
      "Until when messages are also signed with the previous secret. Null if there is none.",
    ),
    lastSentAt: NullableTimestamp("When the last message was sent. Null if never."),
    lastFailure: Type.Union([Type.String(), Type.Null()], {
      description: "Why the latest attempt failed. Null if it succeeded.",
    }),
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
    url: WebAddress("The address to send messages to: http or https."),
  },
  { ...closed, description: "The webhook to create." },
);
export type CreateHook = Type.Static<typeof CreateHook>;

/** A webhook, with its signing secret. */
export const NewHook = Type.Object(
  { hook: Hook, secret: Type.String({ description: "The signing secret. Only shown once." }) },
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
  errors: ["too_many"],
  summary: "Create a webhook of the organisation",
  description:
    "Sends subscriber.disabled, delivery.dead, quota.warning, organisation.suspended and run.finished, signed as specified by Standard Webhooks.",
});

export const rotateHookSecret = dashboard({
  id: "rotateHookSecret",
  method: "POST",
  path: "/api/dashboard/hooks/{hookId}/secrets",
  role: "admin",
  params: hookPath,
  answers: { 201: Type.Object({ secret: Type.String({ description: "The new secret. Only shown once." }) }) },
  errors: ["hook_not_found"],
  summary: "Rotate the secret of a webhook of the organisation",
  description: "Messages are also signed with the previous secret for 24 hours. Older secrets stop immediately.",
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
