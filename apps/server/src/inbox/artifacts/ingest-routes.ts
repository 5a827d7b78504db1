import { downloadArtifact } from "@lodge/contract/envelope";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { downloadHeaders, inertHeaders, rangeOf } from "../../platform/http/download.ts";
import { serve } from "../../platform/http/serve.ts";
import { judgeLink } from "./artifact-links.ts";
import { findLinked } from "./find-linked.ts";

/** `GET /api/artifacts/…`: the downloads that messages of webhooks link to (contract section 4). */
export function artifactRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, downloadArtifact, async (request, reply) => {
    const { expires = "", signature = "" } = request.query;
    const verdict = judgeLink(deps, request.params, Number(expires), signature);
    if (verdict === "forged") throw new Refusal("forbidden");
    if (verdict === "expired") throw new Refusal("link_expired");
    const found = await findLinked(deps, request.params);
    if (!found) throw new Refusal("not_found");

    const address = isForPage(request) ? undefined : await found.presign(methodOf(request), inertHeaders(found));
    if (address) {
      reply.headers({ location: address, "cache-control": "no-store", "referrer-policy": "no-referrer" });
      return reply.code(302).send();
    }
    const etag = `"${found.sha256.toString("hex")}"`;
    const unchanged = [undefined, etag].includes(request.headers["if-range"]?.toString());
    const range = unchanged ? rangeOf(request.headers.range, found.byteLength) : undefined;
    if (range === "unsatisfiable") {
      throw new Refusal("range_not_satisfiable", {}, { "content-range": `bytes */${found.byteLength}` });
    }
    const content = await found.open(range);
    if (!content) {
      // The database still has the artifact. Usually another server keeps its files elsewhere.
      const { appId, eventId, part } = request.params;
      request.log.warn({ appId, eventId, part }, "an attachment's file is not in this server's store");
      throw new Refusal("not_found");
    }
    reply
      .code(range ? 206 : 200)
      .headers(downloadHeaders(found.filename, found.contentType))
      .headers({
        "accept-ranges": "bytes",
        "cache-control": "private, max-age=3600",
        "content-length": range ? range.end - range.start + 1 : found.byteLength,
        etag,
        "repr-digest": `sha-256=:${found.sha256.toString("base64")}:`,
        ...(range && { "content-range": `bytes ${range.start}-${range.end}/${found.byteLength}` }),
      });
    return reply.send(content);
  });
}

/** Lodge's own pages may only show or fetch what their own origin serves (docs/decisions/object-store.md). */
const isForPage = ({ headers }: FastifyRequest) =>
  ![undefined, "document"].includes(headers["sec-fetch-dest"]?.toString());

const methodOf = ({ method }: FastifyRequest) => (method === "HEAD" ? "HEAD" : "GET");
