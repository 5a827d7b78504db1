import Type from "typebox";
import { addressLengthMax } from "../limits.ts";
import { noContent, pathId } from "../operation.ts";
import { NullableTimestamp, Text, Timestamp, Uuid } from "../text.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API: where an organisation hears, by signed messages, of what it must be told. For owners and admins. */

const closed = { additionalProperties: false } as const;

const Hook = Type.Object(
  {
    id: Uuid("The webhook."),
    url: Type.String({ description: "Where messages go." }),
    createdAt: Timestamp("When it was made."),
    previousSecretEndsAt: NullableTimestamp("Until when the secret before signs as well; null where there is none."),
    lastSentAt: NullableTimestamp("When it was last sent something; null for never."),
    lastFailure: Type.Union([Type.String(), Type.Null()], {
      description: "Why the latest attempt failed; null where it succeeded.",
    }),
  },
  { description: "A webhook of the organisation." },
);

/** The webhooks of an organisation. */
export const HookList = Type.Object(
  { hooks: Type.Array(Hook, { description: "The oldest first." }) },
  { description: "The webhooks of the organisation." },
);
export type HookList = Type.Static<typeof HookList>;

/** A webhook to make. */
export const CreateHook = Type.Object(
  {
    url: Text({ minLength: 1, maxLength: addressLengthMax, description: "Where messages go: http or https." }),
  },
  { ...closed, description: "A webhook to make." },
);
export type CreateHook = Type.Static<typeof CreateHook>;

/** A webhook, with its signing secret. */
export const NewHook = Type.Object(
  { hook: Hook, secret: Type.String({ description: "What its messages are signed with. Shown this once." }) },
  { description: "A webhook with its signing secret." },
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
  summary: "Make a webhook of the organisation",
  description:
    "It hears of subscriber.disabled, delivery.dead, quota.warning, organisation.suspended and run.finished, signed as Standard Webhooks has it.",
});

export const rotateHookSecret = dashboard({
  id: "rotateHookSecret",
  method: "POST",
  path: "/api/dashboard/hooks/{hookId}/secrets",
  role: "admin",
  params: hookPath,
  answers: { 201: Type.Object({ secret: Type.String({ description: "The new secret, shown this once." }) }) },
  errors: ["hook_not_found"],
  summary: "Give a webhook of the organisation a new secret",
  description: "The one before signs as well for 24 hours; any older one ends at once.",
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
