import { dashboardBodyBytesMax } from "@lodge/contract/limits";
import type { Audience } from "@lodge/contract/operation";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { parseJson, readBody } from "../../platform/http/json-body.ts";
import { type Actor, findActor, findActorAndCount, type SignedIn } from "./find-actor.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The person, for operations that need a session or a role. */
    signedIn: SignedIn;
    /** The member, for operations that need a role. */
    actor: Actor;
  }
}

/** The largest body before sign-in: names, an e-mail address and a password need no more. */
export const signedOutBodyBytesMax = 4_096;

/**
 * Guards every operation of the dashboard: checks its `role`, accepts JSON bodies of at most 256 KiB, prevents caching,
 * and requires that changes come from the dashboard's own origin (besides the session cookie's SameSite=Lax) and stay
 * within the person's rate limit.
 */
export function guardDashboard(app: FastifyInstance, deps: Deps) {
  app.decorateRequest("signedIn");
  app.decorateRequest("actor");
  app.removeAllContentTypeParsers();
  const limits = { bytesMax: dashboardBodyBytesMax, idleMs: deps.config.ingestIdleMs };
  app.addContentTypeParser("*", async (request: FastifyRequest) =>
    parseJson(request.headers, await readBody(request, limits)),
  );
  app.addHook("onRequest", async (request, reply) => {
    reply.header("cache-control", "no-store");
    if (changes(request)) refuseOtherOrigins(deps, request);
    const role = request.routeOptions.config.operation?.role;
    if (!role) throw new Error("a route of the dashboard allows nobody");
    if (role !== "everybody") await admit(deps, request, role);
  });
}

const changes = ({ method }: FastifyRequest) => method !== "GET" && method !== "HEAD";

/**
 * Admits only people with the role, and identifies them. Throws `not_signed_in`, `rate_limit_exceeded`,
 * `signed_in_by_provider`, `no_organisation`, `provider_needed`, `second_factor_needed` or `forbidden`, in this order.
 */
async function admit(deps: Deps, request: FastifyRequest, role: Exclude<Audience, "everybody">) {
  const find = changes(request) ? findActorAndCount : findActor;
  const found = await find(deps, request.headers.cookie);
  if (!found) throw new Refusal("not_signed_in");
  request.signedIn = found.signedIn;
  if (role === "signed-in") return;
  if (role === "account") return refuseProviders(found.signedIn);
  if (!found.actor) throw new Refusal("no_organisation");
  if (found.actor.needsProvider) throw new Refusal("provider_needed");
  if (found.actor.needsSecondFactor) throw new Refusal("second_factor_needed");
  if (role === "admin" && found.actor.role === "member") throw new Refusal("forbidden");
  if (role === "owner" && found.actor.role !== "owner") throw new Refusal("forbidden");
  request.actor = found.actor;
}

/** Refuses sessions of an identity provider, which must not change an account. Throws `signed_in_by_provider`. */
export function refuseProviders({ providerOrganisationId }: SignedIn): void {
  if (providerOrganisationId !== null) throw new Refusal("signed_in_by_provider");
}

/** A request without any of these headers is not from a browser, so no cookie was sent without its owner knowing. */
function refuseOtherOrigins({ urls }: Deps, { headers }: FastifyRequest) {
  const { origin } = headers;
  const site = headers["sec-fetch-site"];
  const ours =
    origin === undefined ? site === undefined || site === "same-origin" : origin === new URL(urls.base).origin;
  if (!ours)
    throw new Refusal("untrusted_origin", {
      message: `The request came from another site. Open the dashboard at ${urls.base}.`,
    });
}
