import Type from "typebox";
import { addressLengthMax, titleLengthMax } from "../limits.ts";
import { noContent } from "../operation.ts";
import { NullableTimestamp, Text, Uuid } from "../text.ts";
import { Session } from "./access.ts";
import { KnownPassword } from "./factors.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API for signing in with an organisation's identity provider (OpenID Connect). */

const closed = { additionalProperties: false } as const;
const Domain = Type.String({
  pattern: "^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$",
  maxLength: 253,
  description: "A domain of e-mail addresses, in lowercase.",
});
const Domains = Type.Array(Domain, {
  minItems: 1,
  maxItems: 20,
  description: "The e-mail domains of the people who can sign in with the provider.",
});
const Values = Type.Array(Text({ minLength: 1, maxLength: titleLengthMax, description: "A value of the claim." }), {
  maxItems: 20,
  description: "The claim values that give the role.",
});
const Roles = Type.Object(
  { owner: Values, admin: Values, member: Values },
  { ...closed, description: "The claim values for each role. The highest matching role applies." },
);
const DefaultRole = Type.Unsafe<"admin" | "member" | null>({
  type: ["string", "null"],
  enum: ["admin", "member", null],
  description: "The role of people without a matching value. Null refuses them.",
});
const isRequired = Type.Boolean({
  description:
    "Whether members must sign in with the provider. Owners can also use their password, so that nobody is locked out.",
});

/** The identity provider of the organisation. */
export const IdentityProvider = Type.Object(
  {
    issuer: Type.String({ description: "The issuer's URL, without `/.well-known/openid-configuration`." }),
    clientId: Type.String({ description: "The client id of this Lodge at the provider." }),
    domains: Domains,
    roleClaim: Type.String({ description: "The claim of the ID token that roles are read from." }),
    roles: Roles,
    defaultRole: DefaultRole,
    isRequired,
  },
  { description: "The organisation's identity provider. Its client secret is never shown." },
);
export type IdentityProvider = Type.Static<typeof IdentityProvider>;

/** The identity provider, and the URLs to register with it. */
export const IdentityProviderSettings = Type.Object(
  {
    provider: Type.Union([IdentityProvider, Type.Null()], {
      description: "The identity provider. Null if there is none.",
    }),
    redirectUri: Type.String({ description: "The redirect URI to register with the provider." }),
    signInUrl: Type.String({ description: "The page where members sign in with the provider." }),
  },
  { description: "The organisation's identity provider." },
);
export type IdentityProviderSettings = Type.Static<typeof IdentityProviderSettings>;

/** An identity provider to set. */
export const SetIdentityProvider = Type.Object(
  {
    issuer: Text({ minLength: 1, maxLength: addressLengthMax, description: "The issuer: an https URL." }),
    clientId: Text({
      minLength: 1,
      maxLength: titleLengthMax,
      description: "The client id of this Lodge at the provider.",
    }),
    clientSecret: Type.Optional(
      Text({
        minLength: 1,
        maxLength: 1_000,
        description:
          "The client secret. If omitted, Lodge keeps the saved secret. Required if there is none, or if the issuer or the client id changes.",
      }),
    ),
    domains: Domains,
    roleClaim: Text({
      minLength: 1,
      maxLength: titleLengthMax,
      description: "The claim to read roles from, like roles or groups.",
    }),
    roles: Roles,
    defaultRole: DefaultRole,
    isRequired,
  },
  { ...closed, description: "The identity provider to set." },
);
export type SetIdentityProvider = Type.Static<typeof SetIdentityProvider>;

/** The page on which a sign-in continues. */
export const ProviderSignIn = Type.Object(
  { url: Type.String({ description: "The URL of the provider's page." }) },
  { description: "The page where the sign-in continues." },
);
export type ProviderSignIn = Type.Static<typeof ProviderSignIn>;

/** The provider's response. */
export const FinishProviderSignIn = Type.Object(
  {
    answer: Text({
      minLength: 1,
      maxLength: 3_000,
      description: "The query that the provider added to the redirect URI.",
    }),
  },
  { ...closed, description: "The provider's response." },
);
export type FinishProviderSignIn = Type.Static<typeof FinishProviderSignIn>;

/** The identity providers of a person's organisations. */
export const OwnIdentityList = Type.Object(
  {
    identities: Type.Array(
      Type.Object({
        organisation: Type.Object(
          {
            id: Uuid("The organisation."),
            name: Type.String({ description: "The name." }),
            slug: Type.String({ description: "The slug, used in URLs." }),
          },
          { description: "One of the person's organisations." },
        ),
        issuer: Type.String({ description: "The issuer URL of the organisation's identity provider." }),
        linkedAt: NullableTimestamp("When the account was linked to the provider. Null if it is not linked."),
      }),
      { description: "Sorted by the name of the organisation." },
    ),
  },
  { description: "The identity providers of the person's organisations." },
);
export type OwnIdentityList = Type.Static<typeof OwnIdentityList>;

const slugPath = Type.Object({ slug: Text({ maxLength: 60, description: "The slug of the organisation." }) });

export const getIdentityProvider = dashboard({
  id: "getIdentityProvider",
  method: "GET",
  path: "/api/dashboard/identity-provider",
  role: "admin",
  answers: { 200: IdentityProviderSettings },
  errors: [],
  summary: "Get the identity provider",
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
  summary: "Set the identity provider",
  description:
    "Lodge loads the provider's configuration first. A new issuer or client id ends the sessions that the previous provider opened.",
});

export const removeIdentityProvider = dashboard({
  id: "removeIdentityProvider",
  method: "DELETE",
  path: "/api/dashboard/identity-provider",
  role: "owner",
  answers: noContent,
  errors: [],
  summary: "Remove the identity provider",
  description: "Ends the sessions that the provider opened.",
});

export const beginProviderSignIn = dashboard({
  id: "beginProviderSignIn",
  method: "POST",
  path: "/api/dashboard/provider-sign-ins/{slug}",
  role: "everybody",
  params: slugPath,
  answers: { 200: ProviderSignIn },
  errors: ["provider_not_found", "provider_unreachable", "rate_limit_exceeded"],
  summary: "Start signing in with an identity provider",
  description: "Sets a cookie for ten minutes to recognise the provider's response.",
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
    "no_role",
    "rate_limit_exceeded",
  ],
  summary: "Finish signing in with an identity provider",
  description:
    "The session only gives access to this organisation, and lasts at most a day. New people become members, with an account that only works in this organisation. Each sign-in sets the role from the claims, but the last owner stays an owner.",
});

export const listOwnIdentities = dashboard({
  id: "listOwnIdentities",
  method: "GET",
  path: "/api/dashboard/profile/identities",
  role: "account",
  answers: { 200: OwnIdentityList },
  errors: [],
  summary: "List the identity providers that you can sign in with",
});

export const beginIdentityLink = dashboard({
  id: "beginIdentityLink",
  method: "POST",
  path: "/api/dashboard/profile/identities/{slug}",
  role: "account",
  params: slugPath,
  body: KnownPassword,
  answers: { 200: ProviderSignIn },
  errors: ["provider_not_found", "provider_unreachable", "wrong_credentials"],
  summary: "Start linking your account to an identity provider",
  description:
    "You must be a member of the organisation with this slug. The provider redirects the browser to the same redirect URI as for a sign-in. Only this session can finish linking, within ten minutes.",
});

export const finishIdentityLink = dashboard({
  id: "finishIdentityLink",
  method: "POST",
  path: "/api/dashboard/profile/identities/{slug}/completion",
  role: "account",
  params: slugPath,
  body: FinishProviderSignIn,
  answers: { 200: OwnIdentityList },
  errors: ["provider_refused", "provider_not_found", "provider_unreachable", "identity_taken"],
  summary: "Link your account using the identity provider's response",
});

export const unlinkOwnIdentity = dashboard({
  id: "unlinkOwnIdentity",
  method: "DELETE",
  path: "/api/dashboard/profile/identities/{slug}",
  role: "account",
  params: slugPath,
  answers: { 200: OwnIdentityList },
  errors: ["provider_not_found"],
  summary: "Unlink your account from an identity provider",
  description: "Ends the sessions that the provider opened. The next sign-in with it creates a separate account.",
});
