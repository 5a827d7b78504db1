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
    Type.Array(Uuid("A project."), { minItems: 1, maxItems: 1000, description: "The projects that it reaches." }),
  ],
  { description: 'Which projects the token reaches: "all", or a list of project ids.' },
);
const Permissions = Type.Array(Type.Enum([...permissions]), {
  minItems: 1,
  maxItems: permissions.length,
  description: "What the token may do.",
});

const RunsPerDay = Type.Union([Type.Integer({ minimum: 0, maximum: runsPerDayMax }), Type.Null()], {
  description:
    "How many runs of the agent's may start in a day (UTC) on tickets that it files, those beyond are held; null for any number.",
});

/** A live API token, without its secret. */
export const ApiToken = Type.Object(
  {
    id: Uuid("The token."),
    name: Type.String({ description: "The author of the tickets that it files." }),
    prefix: Type.String({ description: "The first characters of the secret, to recognise it by." }),
    scope: Type.Union([Type.Literal("all"), Type.Array(Uuid("A project."))], {
      description:
        'Which projects the token reaches: "all", or a list of project ids, which is empty once they are deleted.',
    }),
    permissions: Type.Array(Type.Enum([...permissions]), { description: "What the token may do." }),
    runsPerDay: RunsPerDay,
    createdAt: Timestamp("When it was made."),
    lastUsedAt: NullableTimestamp("When it was last used, to the minute; null for never."),
    unusedFor90Days: Type.Boolean({ description: "Whether it was neither made nor used within the last 90 days." }),
  },
  { description: "An API token." },
);
export type ApiToken = Type.Static<typeof ApiToken>;

/** The tokens that live; revoked ones are not among them. */
export const ApiTokenList = Type.Object(
  { tokens: Type.Array(ApiToken, { description: "By name." }) },
  { description: "The live tokens of the organisation." },
);
export type ApiTokenList = Type.Static<typeof ApiTokenList>;

/** A token to make. */
export const CreateApiToken = Type.Object(
  { name: Name, scope: Scope, permissions: Permissions, runsPerDay: Type.Optional(RunsPerDay) },
  { ...closed, description: "A token to make." },
);
export type CreateApiToken = Type.Static<typeof CreateApiToken>;

/** A token, with its secret. */
export const NewApiToken = Type.Object(
  { token: ApiToken, secret: Type.String({ description: "The bearer token. Shown this once." }) },
  { description: "A token with its secret." },
);
export type NewApiToken = Type.Static<typeof NewApiToken>;

/** What to change of a token: what is left out stays. */
export const ChangeApiToken = Type.Partial(CreateApiToken, {
  ...closed,
  minProperties: 1,
  description: "What to change of a token.",
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
  summary: "List the live tokens",
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
  summary: "Make a token",
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
  summary: "Rename or re-scope a token",
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
  description: "For good, from the very next request on.",
});
