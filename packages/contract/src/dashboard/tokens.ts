import Type from "typebox";
import { runsPerDayMax } from "../limits.ts";
import { noContent, pathId } from "../operation.ts";
import { permissions } from "../roles.ts";
import { Name, NullableTimestamp, Timestamp, Uuid } from "../text.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API: API tokens, for owners and admins (interface section 2.1). */

const closed = { additionalProperties: false } as const;

const Scope = Type.Union(
  [
    Type.Literal("all"),
    Type.Array(Uuid("A project."), {
      minItems: 1,
      maxItems: 1000,
      description: "The projects that the token has access to.",
    }),
  ],
  { description: 'The projects that the token has access to: "all", or a list of project ids.' },
);
const Permissions = Type.Array(Type.Enum([...permissions]), {
  minItems: 1,
  maxItems: permissions.length,
  description: "The token's permissions.",
});

const RunsPerDay = Type.Union([Type.Integer({ minimum: 0, maximum: runsPerDayMax }), Type.Null()], {
  description:
    "The maximum number of agent runs per day (UTC) that the token can start by assigning the agent. Further runs are held. Null for no limit.",
});

/** An active API token, without its secret. */
export const ApiToken = Type.Object(
  {
    id: Uuid("The token."),
    name: Type.String({ description: "The name, shown as the author of the tickets that the token files." }),
    prefix: Type.String({ description: "The first characters of the secret, to recognise the token." }),
    scope: Type.Union([Type.Literal("all"), Type.Array(Uuid("A project."))], {
      description:
        'The projects that the token has access to: "all", or a list of project ids. The list is empty if these projects were deleted.',
    }),
    permissions: Type.Array(Type.Enum([...permissions]), { description: "The token's permissions." }),
    runsPerDay: RunsPerDay,
    createdAt: Timestamp("When it was created."),
    lastUsedAt: NullableTimestamp("When the token was last used, to the minute. Null if never."),
    unusedFor90Days: Type.Boolean({
      description: "Whether the token was neither created nor used in the last 90 days.",
    }),
  },
  { description: "An API token." },
);
export type ApiToken = Type.Static<typeof ApiToken>;

/** The active tokens. */
export const ApiTokenList = Type.Object(
  { tokens: Type.Array(ApiToken, { description: "Sorted by name." }) },
  { description: "The active tokens of the organisation." },
);
export type ApiTokenList = Type.Static<typeof ApiTokenList>;

/** A token to create. */
export const CreateApiToken = Type.Object(
  { name: Name, scope: Scope, permissions: Permissions, runsPerDay: Type.Optional(RunsPerDay) },
  { ...closed, description: "The token to create." },
);
export type CreateApiToken = Type.Static<typeof CreateApiToken>;

/** A token, with its secret. */
export const NewApiToken = Type.Object(
  { token: ApiToken, secret: Type.String({ description: "The bearer token. Returned only once." }) },
  { description: "The token with its secret." },
);
export type NewApiToken = Type.Static<typeof NewApiToken>;

/** The changes to a token. Omitted fields stay as they are. */
export const ChangeApiToken = Type.Partial(CreateApiToken, {
  ...closed,
  minProperties: 1,
  description: "The fields to change. Omitted fields stay as they are.",
});
export type ChangeApiToken = Type.Static<typeof ChangeApiToken>;

const tokenPath = pathId("tokenId", "token_not_found", "The token.");

export const listTokens = dashboard({
  id: "listTokens",
  method: "GET",
  path: "/api/dashboard/tokens",
  role: "admin",
  answers: { 200: ApiTokenList },
  errors: [],
  summary: "List the active tokens",
  staleAfter: ["tokens.changed"],
});

export const createToken = dashboard({
  id: "createToken",
  method: "POST",
  path: "/api/dashboard/tokens",
  role: "admin",
  body: CreateApiToken,
  answers: { 201: NewApiToken },
  errors: ["token_name_taken", "project_not_found"],
  summary: "Create a token",
});

export const changeToken = dashboard({
  id: "changeToken",
  method: "PATCH",
  path: "/api/dashboard/tokens/{tokenId}",
  role: "admin",
  params: tokenPath,
  body: ChangeApiToken,
  answers: { 200: ApiToken },
  errors: ["token_not_found", "token_name_taken", "project_not_found"],
  summary: "Update a token",
});

export const revokeToken = dashboard({
  id: "revokeToken",
  method: "DELETE",
  path: "/api/dashboard/tokens/{tokenId}",
  role: "admin",
  params: tokenPath,
  answers: noContent,
  errors: ["token_not_found"],
  summary: "Revoke a token",
  description: "The token stops working immediately and permanently.",
});
