import { dashboardBodyBytesMax } from "@lodge/contract/limits";
import type { Audience } from "@lodge/contract/operation";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { parseJson, readBody } from "../../platform/http/json-body.ts";
import { type Actor, findActor, findActorAndCount, type SignedIn } from "./find-actor.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The guards of operations that need a session or a role. */
    signedIn: SignedIn;
    /** Where the operation is for members, or for fewer. */
    actor: Actor;
  }
}

/** The largest body of somebody who has not signed in: names, an e-mail address and a password need no more. */
export const strangersBodyBytesMax = 4_096;

/**
 * Guards every operation of the dashboard: it is for those whom its `role` names, bodies are JSON of at most 256 KiB,
 * nothing is cached, and what changes something comes from a page of our own (beside the session cookie's
 * SameSite=Lax) and no oftener than its person may.
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

/** Lets nobody else through, and says who is asking. Throws `not_signed_in`, `rate_limit_exceeded`, `signed_in_by_provider`, `no_organisation`, `provider_needed`, `second_factor_needed` or `forbidden`, in this order. */
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

/** Keeps away from a person's account whom an organisation vouches for. Throws `signed_in_by_provider`. */
export function refuseProviders({ providerOrganisationId }: SignedIn): void {
  if (providerOrganisationId !== null) throw new Refusal("signed_in_by_provider");
}

/** A request without any of these headers comes from no browser, so nobody's cookie was sent along unawares. */
function refuseOtherOrigins({ urls }: Deps, { headers }: FastifyRequest) {
  const { origin } = headers;
  const site = headers["sec-fetch-site"];
  const ours =
    origin === undefined ? site === undefined || site === "same-origin" : origin === new URL(urls.base).origin;
  if (!ours)
    throw new Refusal("untrusted_origin", { message: `Open the dashboard at ${urls.base}, its public address.` });
}
