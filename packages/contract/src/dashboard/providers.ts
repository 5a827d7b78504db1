import Type from "typebox";
import { addressLengthMax, titleLengthMax } from "../limits.ts";
import { noContent } from "../operation.ts";
import { Text } from "../text.ts";
import { Session } from "./access.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API: signing in with the identity provider of an organisation, by OpenID Connect. */

const closed = { additionalProperties: false } as const;
const Domain = Type.String({
  pattern: "^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$",
  maxLength: 253,
  description: "What follows the @ of e-mail addresses, in lower case.",
});
const Domains = Type.Array(Domain, {
  minItems: 1,
  maxItems: 20,
  description: "It vouches for addresses of these domains alone.",
});
const Values = Type.Array(Text({ minLength: 1, maxLength: titleLengthMax, description: "A value of the claim." }), {
  maxItems: 20,
  description: "Who has one of these has the role.",
});
const Roles = Type.Object(
  { owner: Values, admin: Values, member: Values },
  { ...closed, description: "Which values of the claim make which role; the highest counts." },
);
const DefaultRole = Type.Unsafe<"admin" | "member" | null>({
  type: ["string", "null"],
  enum: ["admin", "member", null],
  description: "The role of who has none of the values; null lets in nobody else.",
});
const isRequired = Type.Boolean({
  description:
    "Whether members get in by it alone. Owners get in with their passwords too, so that nobody is shut out.",
});

/** The identity provider of the organisation. */
export const IdentityProvider = Type.Object(
  {
    issuer: Type.String({ description: "Its address, below which `/.well-known/openid-configuration` is." }),
    clientId: Type.String({ description: "What it knows this Lodge by." }),
    domains: Domains,
    roleClaim: Type.String({ description: "The claim of the ID token that says what somebody is." }),
    roles: Roles,
    defaultRole: DefaultRole,
    isRequired,
  },
  { description: "The identity provider of the organisation; its secret is never shown." },
);
export type IdentityProvider = Type.Static<typeof IdentityProvider>;

/** The identity provider, and what it must be told. */
export const IdentityProviderSettings = Type.Object(
  {
    provider: Type.Union([IdentityProvider, Type.Null()], { description: "Null where there is none." }),
    redirectUri: Type.String({ description: "The redirect URI to register with the provider." }),
    signInUrl: Type.String({ description: "Where members sign in with it." }),
  },
  { description: "The identity provider of the organisation." },
);
export type IdentityProviderSettings = Type.Static<typeof IdentityProviderSettings>;

/** An identity provider to sign in with. */
export const SetIdentityProvider = Type.Object(
  {
    issuer: Text({ minLength: 1, maxLength: addressLengthMax, description: "An https address." }),
    clientId: Text({ minLength: 1, maxLength: titleLengthMax, description: "What it knows this Lodge by." }),
    clientSecret: Type.Optional(
      Text({ minLength: 1, maxLength: 1_000, description: "Left out: the one that is there, of the same issuer." }),
    ),
    domains: Domains,
    roleClaim: Text({ minLength: 1, maxLength: titleLengthMax, description: "Like roles, or groups." }),
    roles: Roles,
    defaultRole: DefaultRole,
    isRequired,
  },
  { ...closed, description: "An identity provider to sign in with." },
);
export type SetIdentityProvider = Type.Static<typeof SetIdentityProvider>;

/** Where a sign-in goes on. */
export const ProviderSignIn = Type.Object(
  { url: Type.String({ description: "The provider's page." }) },
  { description: "Where to go on." },
);
export type ProviderSignIn = Type.Static<typeof ProviderSignIn>;

/** What the provider has answered. */
export const FinishProviderSignIn = Type.Object(
  {
    answer: Text({
      minLength: 1,
      maxLength: 3_000,
      description: "The query with which the provider has sent the browser back to the redirect URI.",
    }),
  },
  { ...closed, description: "What the provider has answered." },
);
export type FinishProviderSignIn = Type.Static<typeof FinishProviderSignIn>;

const slugPath = Type.Object({ slug: Text({ maxLength: 60, description: "The organisation's name in addresses." }) });

export const getIdentityProvider = dashboard({
  id: "getIdentityProvider",
  method: "GET",
  path: "/api/dashboard/identity-provider",
  role: "admin",
  answers: { 200: IdentityProviderSettings },
  errors: [],
  summary: "Show the identity provider",
  staleAfter: ["members.changed"],
});

export const setIdentityProvider = dashboard({
  id: "setIdentityProvider",
  method: "POST",
  path: "/api/dashboard/identity-provider",
  role: "owner",
  body: SetIdentityProvider,
  answers: { 200: IdentityProviderSettings },
  errors: ["provider_unreachable"],
  summary: "Sign in with an identity provider",
  description:
    "It is asked for its configuration first. With another issuer or client the sessions that the former one has opened end.",
});

export const removeIdentityProvider = dashboard({
  id: "removeIdentityProvider",
  method: "DELETE",
  path: "/api/dashboard/identity-provider",
  role: "owner",
  answers: noContent,
  errors: [],
  summary: "Sign in with no identity provider any more",
  description: "Ends the sessions that it has opened.",
});

export const beginProviderSignIn = dashboard({
  id: "beginProviderSignIn",
  method: "POST",
  path: "/api/dashboard/provider-sign-ins/{slug}",
  role: "everybody",
  params: slugPath,
  answers: { 200: ProviderSignIn },
  errors: ["provider_not_found", "provider_unreachable", "rate_limit_exceeded"],
  summary: "Begin to sign in with an organisation's identity provider",
  description: "What belongs to it is kept in a cookie, for ten minutes.",
});

export const finishProviderSignIn = dashboard({
  id: "finishProviderSignIn",
  method: "POST",
  path: "/api/dashboard/provider-sign-ins/{slug}/completion",
  role: "everybody",
  params: slugPath,
  body: FinishProviderSignIn,
  answers: { 200: Session },
  errors: [
    "provider_refused",
    "provider_not_found",
    "provider_unreachable",
    "email_not_vouched_for",
    "invitation_needed",
    "no_role",
    "rate_limit_exceeded",
  ],
  summary: "Sign in with what the identity provider has answered",
  description:
    "The session is for this organisation alone, whatever others the person belongs to, and lasts for a day at most. Who is new becomes a member; everybody has the role that the claims give now, but the last owner stays one.",
});
