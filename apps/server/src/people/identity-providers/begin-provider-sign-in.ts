import type { ProviderSignIn } from "@lodge/contract/dashboard/providers";
import type { FastifyRequest } from "fastify";
import type { Dispatcher } from "undici";
import { type SealingKeys, seal, unseal } from "../../platform/config/seal.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { limitComingIn } from "../access/limit-sign-in.ts";
import { cookieOf } from "../access/open-session.ts";
import { cookiePrefix, isSecure } from "../access/session-cookie.ts";
import type { WithCookies } from "../access/sign-in.ts";
import { discoverProvider, unreachable } from "./discover-provider.ts";
import { openSecret, readProvider, type Stored } from "./read-provider.ts";

const beganMsMax = 600_000;

/** The browser's record of a started sign-in, encrypted. */
type Began = {
  organisationId: string;
  /** The session whose account is linked; null for a sign-in. */
  linksSessionId: string | null;
  state: string;
  nonce: string;
  verifier: string;
  endsAt: number;
};

/**
 * The address that a provider redirects back to, and where members start: different for each organisation, so that one
 * provider's response is never taken for another's.
 */
export const redirectUri = (base: string, slug: string): string => `${base}/sign-in/${slug}`;

const cookieName = (base: string) => `${isSecure(base) ? "__Secure-" : ""}${cookiePrefix}.provider_sign_in`;

/**
 * Starts a sign-in with the provider of an organisation. Throws `rate_limit_exceeded`, `provider_not_found` or
 * `provider_unreachable`.
 */
export async function beginProviderSignIn(
  deps: Deps,
  agent: Dispatcher,
  request: FastifyRequest,
  slug: string,
): Promise<WithCookies<ProviderSignIn>> {
  await limitComingIn(deps, request.ip);
  return askProvider(deps, agent, await readProvider(deps.db, slug), null);
}

/**
 * Redirects a browser to a provider, with a cookie to check the response: which organisation it is for, and whether it
 * signs in or links the account of a session. Throws `provider_unreachable`.
 */
export async function askProvider(
  deps: Deps,
  agent: Dispatcher,
  stored: Stored,
  linksSessionId: string | null,
): Promise<WithCookies<ProviderSignIn>> {
  const { issuer, clientId } = stored.provider;
  const configuration = await discoverProvider(deps, agent, {
    issuer,
    clientId,
    clientSecret: openSecret(deps, stored),
  });
  const openid = await import("openid-client");
  const began: Began = {
    organisationId: stored.organisationId,
    linksSessionId,
    state: openid.randomState(),
    nonce: openid.randomNonce(),
    verifier: openid.randomPKCECodeVerifier(),
    endsAt: deps.clock.now().getTime() + beganMsMax,
  };
  const page = configuration.serverMetadata().authorization_endpoint;
  // Our page navigates there, so it must not be a URL that runs as script.
  if (!page || !/^https?:/.test(URL.parse(page)?.protocol ?? "")) throw unreachable("it names no sign-in page");
  const url = openid.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri(deps.urls.base, stored.slug),
    scope: "openid email profile",
    state: began.state,
    nonce: began.nonce,
    code_challenge: await openid.calculatePKCECodeChallenge(began.verifier),
    code_challenge_method: "S256",
  });
  const sealed = seal(deps.sealing, "cookies.sign_in", "", JSON.stringify(began));
  return {
    body: { url: url.href },
    cookies: [cookieOf(deps.urls.base, cookieName(deps.urls.base), sealed, beganMsMax)],
  };
}

/**
 * The sign-in or link that this browser started at an organisation within the last ten minutes. A response to a sign-in
 * cannot link an account, nor the reverse. Throws `provider_refused`.
 */
export function readBegan(
  { urls, sealing, clock }: Deps,
  cookies: string | undefined,
  organisationId: string,
  linksSessionId: string | null,
): Began {
  const start = `${cookieName(urls.base)}=`;
  const sent = cookies?.split(/; */).find((text) => text.startsWith(start));
  const began = sent === undefined ? undefined : readCookie(sealing, sent.slice(start.length));
  const isTheirs = began?.organisationId === organisationId && began.linksSessionId === linksSessionId;
  if (began && isTheirs && began.endsAt > clock.now().getTime()) return began;
  throw new Refusal("provider_refused", {
    message: "This browser has not started a sign-in within the last ten minutes. Try again.",
  });
}

function readCookie(sealing: SealingKeys, value: string): Began | undefined {
  try {
    return JSON.parse(unseal(sealing, "cookies.sign_in", "", value).toString()) as Began;
  } catch {
    return undefined; // not ours
  }
}

/** The cookie that deletes a browser's record of a started sign-in. */
export const forgetBegan = ({ urls }: Deps): string => cookieOf(urls.base, cookieName(urls.base), "", 0);
