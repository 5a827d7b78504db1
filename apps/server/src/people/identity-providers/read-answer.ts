import type { Role } from "@lodge/contract/dashboard/access";
import type { IdentityProvider } from "@lodge/contract/dashboard/providers";
import type { FastifyRequest } from "fastify";
import type { Configuration, IDToken, TokenEndpointResponse, TokenEndpointResponseHelpers } from "openid-client";
import type { Dispatcher } from "undici";
import type { Deps } from "../../platform/deps.ts";
import { readEmailAddress } from "../../platform/email-address.ts";
import { Refusal } from "../../platform/errors.ts";
import { oneLine } from "../../platform/outbound/queue-mail.ts";
import { readBegan, redirectUri } from "./begin-provider-sign-in.ts";
import { discoverProvider, unreachable, whyOf } from "./discover-provider.ts";
import { openSecret, type Stored } from "./read-provider.ts";

type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

/** The person in a provider's response. */
export type Answer = {
  /** The permanent identity of the person. */
  subject: { issuer: string; subject: string };
  /** An address that the provider has verified and may vouch for, in lower case; null if there is none. */
  email: string | null;
  name: string | null;
  /** The highest role that the claims give; null for none. */
  role: Role | null;
};

const nameLengthMax = 80;
const ranked = ["owner", "admin", "member"] as const;

/**
 * A provider's response to this browser, which has started to sign in or to link the account of this session. Throws
 * `provider_refused` or `provider_unreachable`.
 */
export async function readAnswer(
  deps: Deps,
  agent: Dispatcher,
  request: FastifyRequest,
  stored: Stored,
  answer: string,
  linksSessionId: string | null,
): Promise<Answer> {
  const { organisationId, slug, provider } = stored;
  const began = readBegan(deps, request.headers.cookie, organisationId, linksSessionId);
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
      deps.log.info({ organisationId, why: whyOf(error) }, "a sign-in with an identity provider failed");
      throw refusalOf(error);
    });
  return { ...readClaims(provider, claims), role: roleOf(provider, claims) };
}

/** The claims of the ID token, completed with the provider's user info. */
async function readTokens(configuration: Configuration, { roleClaim }: IdentityProvider, tokens: Tokens) {
  const claims = tokens.claims();
  if (!claims) throw new Error("an ID token that was expected is missing");
  const isWhole = [claims.email, claims[roleClaim]].every((claim) => claim !== undefined);
  if (isWhole || !configuration.serverMetadata().userinfo_endpoint) return claims;
  const { fetchUserInfo } = await import("openid-client");
  return { ...(await fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims };
}

function roleOf({ roleClaim, roles, defaultRole }: IdentityProvider, claims: IDToken): Role | null {
  const values = [claims[roleClaim]].flat().filter((value) => typeof value === "string");
  return ranked.find((role) => roles[role].some((value) => values.includes(value))) ?? defaultRole;
}

function readClaims({ domains }: IdentityProvider, { iss, sub, email, email_verified, name }: IDToken) {
  // OpenID Connect Core, section 2: at most 255 ASCII characters.
  if (!/^[\x20-\x7e]{1,255}$/.test(sub))
    throw refused("the subject of its ID token does not have 1 to 255 ASCII characters");
  const address = typeof email === "string" ? readEmailAddress(email) : undefined;
  const isVouchedFor = email_verified === true && domains.includes(address?.split("@")[1] ?? "");
  const shownName = typeof name === "string" ? oneLine(name) : "";
  return {
    subject: { issuer: iss, subject: sub },
    email: address && isVouchedFor ? address : null,
    name: shownName ? shownName.slice(0, nameLengthMax) : null,
  };
}

/** The refusal that says why a provider's response signs nobody in. */
export const refused = (why: string) =>
  new Refusal("provider_refused", { message: `The identity provider did not sign you in: ${why}.` });

/** The library's error, reworded for the person who signs in. */
function refusalOf(error: unknown): Refusal {
  const { code, error: said, error_description, cause } = error as Record<string, unknown>;
  if (code === "OAUTH_AUTHORIZATION_RESPONSE_ERROR" || code === "OAUTH_RESPONSE_BODY_ERROR") {
    const more = typeof error_description === "string" ? `, ${error_description.slice(0, 200)}` : "";
    return refused(`it says ${String(said).slice(0, 50)}${more}`);
  }
  const { claim } = ((cause as Error | undefined)?.cause ?? cause ?? {}) as { claim?: unknown };
  if (typeof claim === "string" && claim in wrongClaims) return refused(wrongClaims[claim as keyof typeof wrongClaims]);
  const why = whyOf(error);
  if (why.includes('"state"'))
    return refused("its response does not belong to the last sign-in that this browser started. Try again");
  if (why.includes("signature")) return refused("its ID token is not signed with its keys");
  return typeof code === "string" && code.startsWith("OAUTH_") && !code.includes("TIMEOUT")
    ? refused(why)
    : unreachable(why);
}

const wrongClaims = {
  iss: "its ID token is from another issuer",
  aud: "its ID token is for another client",
  azp: "its ID token is for another client",
  nonce: "its ID token does not belong to a sign-in of this browser. Try again",
  exp: "its ID token has expired",
  nbf: "its ID token is not valid yet",
};
