import { submitReport } from "@lodge/contract/envelope";
import type { FastifyError, FastifyInstance } from "fastify";
import { recordLapses } from "../../people/installs/record-lapses.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { askForBody } from "../../platform/http/expect-continue.ts";
import { answerHalfClose } from "../../platform/http/half-close.ts";
import { serve } from "../../platform/http/serve.ts";
import { authenticateAndCount, bearerKey } from "../apps/authenticate-key.ts";
import { allowOrigins, answerPreflight } from "../apps/cors.ts";
import { describeThread } from "../replies/reply-token.ts";
import { countRefusals } from "./count-refusals.ts";
import { receiveReport } from "./receive-report.ts";

/** `POST /api/ingest` (interface section 4.2), its checks in the order of contract section 3. */
export function reportRoutes(app: FastifyInstance, deps: Deps) {
  const refusals = countRefusals(deps);
  app.addHook("onClose", refusals.flush);
  app.decorateRequest("app");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _body, done) => done(null)); // the body is read as a stream
  app.setErrorHandler((error: FastifyError) => {
    throw error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE" ? new Refusal("no_parts") : error;
  });
  app.options("/api/ingest", answerPreflight("POST"));

  serve(
    app,
    submitReport,
    async (request) => {
      if (!request.app) throw new Error("a report without an app");
      const { thread, ...event } = await receiveReport(deps, request.app, request.raw);
      const replies = thread && request.app.replies ? describeThread(deps, thread) : {};
      return { status: "received" as const, ...event, ...replies };
    },
    {
      onRequest: async (request, reply) => {
        answerHalfClose(request.raw);
        allowOrigins(request, reply, null);
        const { app, refusal } = await authenticateAndCount(deps, bearerKey(request.headers.authorization), request.ip);
        request.app = app;
        allowOrigins(request, reply, app.allowedOrigins);
        if (refusal) throw refusal;
        if (app.suspendedSince !== null) {
          throw new Refusal("org_suspended", { reason: "over_allowance", since: app.suspendedSince });
        }
        if (app.suspensionLapsed) await recordLapses(deps.db, deps.clock.now(), app.organisationId);
        deps.disks.requireRoom();
        askForBody(request, reply);
      },
      onSend: (request, reply, payload, done) => {
        if (request.app && reply.refusal) refusals.add(request.app, reply.refusal.code);
        done(null, payload);
      },
    },
  );
}
