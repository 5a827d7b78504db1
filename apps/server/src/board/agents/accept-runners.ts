import { runnerBodyBytesMax } from "@lodge/contract/limits";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { parseJson, readBody } from "../../platform/http/json-body.ts";
import { requireRunner } from "./authenticate-runner.ts";

/** Accepts only runners, whose bodies may have 8 MiB. */
export function acceptRunners(app: FastifyInstance, deps: Deps) {
  app.decorateRequest("runner");
  app.removeAllContentTypeParsers();
  const limits = { bytesMax: runnerBodyBytesMax, idleMs: deps.config.ingestIdleMs };
  app.addContentTypeParser("*", async (request: FastifyRequest) =>
    parseJson(request.headers, await readBody(request, limits)),
  );
  app.addHook("onRequest", requireRunner(deps));
}
