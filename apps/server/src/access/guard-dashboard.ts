import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { parseJson, readBody } from "../platform/http/json-body.ts";

const bodyBytesMax = 262_144;

/** The largest body of somebody who has not signed in: names, an e-mail address and a password need no more. */
export const strangersBodyBytesMax = 4_096;

/**
 * What holds of every route of the dashboard's API: bodies are JSON of at most 256 KiB, nothing is cached, and what
 * changes something comes from a page of our own (beside the session cookie's SameSite=Lax).
 */
export function guardDashboard(app: FastifyInstance, deps: Deps) {
  app.decorateRequest("signedIn");
  app.decorateRequest("actor");
  app.removeAllContentTypeParsers();
  const limits = { bytesMax: bodyBytesMax, idleMs: deps.config.ingestIdleMs };
  app.addContentTypeParser("*", async (request: FastifyRequest) =>
    parseJson(request.headers, await readBody(request, limits)),
  );
  app.addHook("onRequest", async (request, reply) => {
    reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff");
    if (request.method !== "GET" && request.method !== "HEAD") refuseOtherOrigins(deps, request);
  });
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
