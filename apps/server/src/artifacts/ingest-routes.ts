import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { ErrorBody } from "@lodge/contract/error-body";
import Type from "typebox";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { downloadHeaders, rangeOf } from "../platform/http/download.ts";
import { judgeLink } from "./artifact-links.ts";
import { findLinked } from "./find-linked.ts";

const bytes = (description: string) => ({
  description,
  content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
});

/** `GET /api/artifacts/…`: what the links in a webhook's message lead to (contract section 4). */
export const artifactRoutes =
  (deps: Deps): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      "/api/artifacts/:appId/:eventId/:part",
      {
        schema: {
          operationId: "downloadArtifact",
          summary: "Download an attachment",
          description:
            "Serves what a link in a webhook's message leads to, as a download, until the link expires. Takes one range.",
          tags: ["Reports"],
          security: [], // the link is the credential
          params: Type.Object({
            appId: Type.String(),
            eventId: Type.String(),
            part: Type.String({ description: "The attachment's place in the envelope, from 0, or envelope." }),
          }),
          querystring: Type.Object({
            expires: Type.Optional(Type.String({ description: "When the link ends, in seconds since 1970." })),
            signature: Type.Optional(Type.String()),
          }),
          response: {
            200: bytes("All of the bytes."),
            206: bytes("The range that was asked for."),
            "4xx": ErrorBody,
            "5xx": ErrorBody,
          } as object,
        },
      },
      async (request, reply) => {
        const { expires = "", signature = "" } = request.query;
        const verdict = judgeLink(deps, request.params, Number(expires), signature);
        if (verdict === "forged") throw new Refusal("forbidden");
        if (verdict === "expired") throw new Refusal("link_expired");
        const found = await findLinked(deps, request.params);
        if (!found) throw new Refusal("not_found");

        const etag = `"${found.sha256.toString("hex")}"`;
        const unchanged = [undefined, etag].includes(request.headers["if-range"]?.toString());
        const range = unchanged ? rangeOf(request.headers.range, found.byteLength) : undefined;
        if (range === "unsatisfiable") {
          throw new Refusal("range_not_satisfiable", {}, { "content-range": `bytes */${found.byteLength}` });
        }
        const content = await found.open(range);
        if (!content) {
          // Its artifact is still on record. Most often another server keeps its files elsewhere.
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
        return reply.send(content as never);
      },
    );
  };
