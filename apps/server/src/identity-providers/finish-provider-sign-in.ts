import type { Session } from "@lodge/contract/dashboard/access";
import type { IdentityProvider } from "@lodge/contract/dashboard/providers";
import type { FastifyRequest } from "fastify";
import type { Configuration, IDToken, TokenEndpointResponse, TokenEndpointResponseHelpers } from "openid-client";
import type { Dispatcher } from "undici";
import { limitComingIn } from "../access/limit-sign-in.ts";
import { openSession } from "../access/open-session.ts";
import { describeOpened, type WithCookies } from "../access/sign-in.ts";
import { joinByProvider, type Vouched } from "../organisations/join-by-provider.ts";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { forgetBegan, readBegan, redirectUri } from "./begin-provider-sign-in.ts";
import { discoverProvider, unreachable, whyOf } from "./discover-provider.ts";
import { holdProvider, openSecret, readProvider } from "./read-provider.ts";

type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

/** Whom a provider no longer signs in is out after a day. */
const sessionMs = 86_400_000;
const nameLengthMax = 80;
const accountLengthMax = 1_000;
const ranked = ["owner", "admin", "member"] as const;

/**
 * Signs in whom the provider has signed in, for the browser that has begun it: a member with the role that the claims give
 * now, or somebody new. The session is for this organisation alone. Throws `rate_limit_exceeded`, `provider_not_found`,
 * `provider_refused`, `provider_unreachable`, `no_role`, `email_not_vouched_for` or `invitation_needed`.
 */
export async function finishProviderSignIn(
  deps: Deps,
  agent: Dispatcher,
  request: FastifyRequest,
  slug: string,
  answer: string,
): Promise<WithCookies<Session>> {
  await limitComingIn(deps, request.ip);
  const stored = await readProvider(deps.db, slug);
  const { organisationId, provider } = stored;
  const began = readBegan(deps, request.headers.cookie, organisationId);
  const { issuer, clientId } = provider;
  const configuration = await discoverProvider(deps, agent, {
    issuer,
    clientId,
    clientSecret: openSecret(deps, stored),
  });
  const address = new URL(redirectUri(deps.urls.base, slug));
  address.search = answer;
  const openid = await import("openid-client");
  const checks = {
    expectedState: began.state,
    expectedNonce: began.nonce,
    pkceCodeVerifier: began.verifier,
    idTokenExpected: true,
  };
  const claims = await openid
    .authorizationCodeGrant(configuration, address, checks)
    .then((tokens) => readTokens(configuration, provider, tokens))
    .catch((error: unknown) => {
      deps.log.info({ organisationId, why: whyOf(error) }, "an identity provider has signed nobody in");
      throw refusalOf(error);
    });
  const role = roleOf(provider, claims);
  if (!role) throw new Refusal("no_role");
  const vouched = readClaims(provider, claims);
  const opened = await deps.db.transaction().execute(async (tx) => {
    // It may have taken its time to answer, which is no way to outlast being removed.
    if (!(await holdProvider(tx, stored))) throw refused("its settings here were changed meanwhile; begin again");
    const userId = await joinByProvider(tx, deps.clock.now(), organisationId, vouched, role);
    return openSession(tx, deps, request, { userId, ms: sessionMs, providerOrganisationId: organisationId });
  });
  return describeOpened(deps, { sessionId: opened.sessionId, cookies: [opened.cookie, forgetBegan(deps)] });
}

/** What the ID token says; of what it leaves out, what the provider says when it is asked. */
async function readTokens(configuration: Configuration, { roleClaim }: IdentityProvider, tokens: Tokens) {
  const claims = tokens.claims();
  if (!claims) throw new Error("an ID token that was expected is missing");
  const isWhole = [claims.email, claims[roleClaim]].every((claim) => claim !== undefined);
  if (isWhole || !configuration.serverMetadata().userinfo_endpoint) return claims;
  const { fetchUserInfo } = await import("openid-client");
  return { ...(await fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims };
}

function roleOf({ roleClaim, roles, defaultRole }: IdentityProvider, claims: IDToken) {
  const values = [claims[roleClaim]].flat().filter((value) => typeof value === "string");
  return ranked.find((role) => roles[role].some((value) => values.includes(value))) ?? defaultRole;
}

function readClaims({ domains }: IdentityProvider, { iss, sub, email, email_verified, name }: IDToken): Vouched {
  const account = `${iss} ${sub}`;
  if (account.length > accountLengthMax) throw refused("its name for you is too long");
  const [, address, domain] =
    /^(\S{1,64}@([^\s@]{1,189}))$/.exec(typeof email === "string" ? email.toLowerCase() : "") ?? [];
  const isVouchedFor = address && domain && email_verified === true && domains.includes(domain);
  return {
    account,
    email: isVouchedFor ? address : null,
    name: typeof name === "string" && name.trim() ? name.trim().slice(0, nameLengthMax) : null,
  };
}

const refused = (why: string) =>
  new Refusal("provider_refused", { message: `The identity provider did not sign you in: ${why}.` });

/** What the library says of an answer, in words for whoever signs in. */
function refusalOf(error: unknown): Refusal {
  const { code, error: said, error_description, cause } = error as Record<string, unknown>;
  if (code === "OAUTH_AUTHORIZATION_RESPONSE_ERROR" || code === "OAUTH_RESPONSE_BODY_ERROR") {
    const more = typeof error_description === "string" ? `, ${error_description.slice(0, 200)}` : "";
    return refused(`it says ${String(said).slice(0, 50)}${more}`);
  }
  const { claim } = ((cause as Error | undefined)?.cause ?? cause ?? {}) as { claim?: unknown };
  if (typeof claim === "string" && claim in wrongClaims) return refused(wrongClaims[claim as keyof typeof wrongClaims]);
  const why = whyOf(error);
  if (why.includes('"state"')) return refused("its answer is not for what this browser has begun last; begin again");
  if (why.includes("signature")) return refused("its ID token is not signed by its keys");
  return typeof code === "string" && code.startsWith("OAUTH_") && !code.includes("TIMEOUT")
    ? refused(why)
    : unreachable(why);
}

const wrongClaims = {
  iss: "its ID token is of another issuer",
  aud: "its ID token is for another client",
  azp: "its ID token is for another client",
  nonce: "its ID token is not for what this browser has begun; begin again",
  exp: "its ID token has expired",
  nbf: "its ID token is not valid yet",
};
