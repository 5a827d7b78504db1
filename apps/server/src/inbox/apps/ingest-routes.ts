import { createHash } from "node:crypto";
import { type ClientConfig, getClientConfig, reportKinds } from "@lodge/contract/envelope";
import { attachmentsMax, envelopeBytesMax } from "@lodge/contract/limits";
import type { FastifyInstance } from "fastify";
import { countInstall } from "../../people/installs/count-install.ts";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { authenticateAndCountConfig, authenticateKey, bearerKey } from "./authenticate-key.ts";
import { allowOrigins, answerPreflight } from "./cors.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Whether the rate limit of the key and address allows this request to count its install. */
    mayCountInstall: boolean;
  }
}

/** `GET /api/config` (interface section 4.3, contract section 3). A suspension does not affect it. */
export function appRoutes(app: FastifyInstance, deps: Deps) {
  app.decorateRequest("app");
  app.decorateRequest("mayCountInstall", false);
  app.options("/api/config", answerPreflight("GET"));

  serve(
    app,
    getClientConfig,
    async (request, reply) => {
      if (!request.app) throw new Error("a configuration without an app");
      const { id, enabled, replies, settings } = request.app;
      if (request.query.installId !== undefined && request.mayCountInstall)
        await countInstall(deps, request.app, request.query.installId);
      const config: ClientConfig = {
        appId: id,
        enabled,
        replies: { enabled: replies },
        limits: {
          requestBytes: deps.config.ingestRequestBytesMax,
          envelopeBytes: envelopeBytesMax,
          attachmentBytes: deps.config.ingestAttachmentBytesMax,
          attachments: attachmentsMax,
        },
        kinds: [...reportKinds],
        settings,
      };
      const etag = `"${createHash("sha256").update(JSON.stringify(config)).digest("base64url")}"`;
      reply.headers({ etag, "cache-control": "private, max-age=60" });
      return matches(request.headers["if-none-match"], etag) ? reply.code(304).send() : config;
    },
    {
      onRequest: async (request, reply) => {
        allowOrigins(request, reply, null);
        const key = bearerKey(request.headers.authorization);
        if ((request.query as { installId?: unknown }).installId === undefined) {
          request.app = await authenticateKey(deps, key);
        } else {
          const { app, mayCount } = await authenticateAndCountConfig(deps, key, request.ip);
          request.app = app;
          request.mayCountInstall = mayCount;
        }
        allowOrigins(request, reply, request.app.allowedOrigins);
      },
    },
  );
}

/** If-None-Match compares weakly (RFC 9110, section 13.1.2). */
const matches = (header: string | undefined, etag: string) =>
  header
    ?.split(",")
    .map((candidate) => candidate.trim().replace(/^W\//, ""))
    .some((candidate) => candidate === "*" || candidate === etag) ?? false;
