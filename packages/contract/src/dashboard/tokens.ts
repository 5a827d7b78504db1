import Type from "typebox";
import { permissions } from "../roles.ts";
import { Name, NullableTimestamp, Timestamp, Uuid } from "../text.ts";

/** The dashboard's API: API tokens. All of it is for admins; a member gets 403 `forbidden`. */

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
    createdAt: Timestamp("When it was made."),
    lastUsedAt: NullableTimestamp("When it was last used, to the minute; null for never."),
    unusedFor90Days: Type.Boolean({ description: "Whether it was neither made nor used within the last 90 days." }),
  },
  { description: "An API token." },
);
export type ApiToken = Type.Static<typeof ApiToken>;

/** Answer of `GET /api/dashboard/tokens`. Revoked tokens are not in it. */
export const ApiTokenList = Type.Object(
  { tokens: Type.Array(ApiToken, { description: "By name." }) },
  { description: "The live tokens of the organisation." },
);
export type ApiTokenList = Type.Static<typeof ApiTokenList>;

/** `POST /api/dashboard/tokens`. 201 `NewApiToken`. Errors: 409 `token_name_taken`, 404 `project_not_found`. */
export const CreateApiToken = Type.Object(
  { name: Name, scope: Scope, permissions: Permissions },
  { ...closed, description: "A token to make." },
);
export type CreateApiToken = Type.Static<typeof CreateApiToken>;

/** Answer of `POST /api/dashboard/tokens`. */
export const NewApiToken = Type.Object(
  { token: ApiToken, secret: Type.String({ description: "The bearer token. Shown this once." }) },
  { description: "A token with its secret." },
);
export type NewApiToken = Type.Static<typeof NewApiToken>;

/**
 * `PATCH /api/dashboard/tokens/{tokenId}`: renames, re-scopes, changes permissions; what is left out stays.
 * 200 `ApiToken`. Errors: 404 `token_not_found` (revoked ones too), 409 `token_name_taken`, 404 `project_not_found`.
 */
export const ChangeApiToken = Type.Partial(CreateApiToken, {
  ...closed,
  minProperties: 1,
  description: "What to change of a token.",
});
export type ChangeApiToken = Type.Static<typeof ChangeApiToken>;

// `DELETE /api/dashboard/tokens/{tokenId}`: revokes, from the very next request on, for good. 204. Errors: 404 `token_not_found`.
