import type { FastifyRequest } from "fastify";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import type { Audience } from "../platform/http/dashboard-schema.ts";
import { type Actor, findActor, type SignedIn } from "./find-actor.ts";

declare module "fastify" {
  interface FastifyRequest {
    signedIn: SignedIn;
    actor: Actor;
  }
}

/**
 * The hook that lets nobody else through, and says who is asking.
 * Throws `not_signed_in`, `no_organisation` or `forbidden`, in this order.
 */
export const requireActor =
  (deps: Deps, audience: Exclude<Audience, "everybody">) => async (request: FastifyRequest) => {
    const found = await findActor(deps, request.headers.cookie);
    if (!found) throw new Refusal("not_signed_in");
    request.signedIn = found.signedIn;
    if (audience === "signed-in") return;
    if (!found.actor) throw new Refusal("no_organisation");
    if (audience === "admin" && found.actor.role === "member") throw new Refusal("forbidden");
    request.actor = found.actor;
  };
