import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { parseJson } from "../platform/http/json-body.ts";

const bodyBytesMax = 262_144;

/**
 * What holds of every route of the dashboard's API: bodies are JSON of at most 256 KiB, nothing is cached, and what
 * changes something comes from a page of our own (beside the session cookie's SameSite=Lax).
 */
export function guardDashboard(app: FastifyInstance, deps: Deps) {
  app.decorateRequest("signedIn");
  app.decorateRequest("actor");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "*",
    { parseAs: "buffer", bodyLimit: bodyBytesMax },
    async (request: FastifyRequest, body: Buffer) => parseJson(request.headers, body),
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
