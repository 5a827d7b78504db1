import { submitSentryEnvelope, submitSentryEvent } from "@lodge/contract/sentry";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { recordLapses } from "../../people/installs/record-lapses.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { askForBody } from "../../platform/http/expect-continue.ts";
import { answerHalfClose } from "../../platform/http/half-close.ts";
import { serve } from "../../platform/http/serve.ts";
import { type App, authenticateAndCount, invalidKey } from "../apps/authenticate-key.ts";
import { allowOrigins, answerPreflight } from "../apps/cors.ts";
import { countRefusals } from "../reports/count-refusals.ts";
import { countItems } from "./count-items.ts";
import { keyOfDsn, keyOfHead } from "./read-key.ts";
import { readBody, receiveEnvelope, receiveStore } from "./receive-envelope.ts";

const exposed = "Retry-After, X-Sentry-Rate-Limits";
const preflight = answerPreflight("POST", ", x-sentry-auth, sentry-trace, baggage");

/** The endpoints for clients that have an app's DSN (contract section 3, Sentry's protocol). */
export function sentryRoutes(app: FastifyInstance, deps: Deps) {
  const refusals = countRefusals(deps);
  const counter = countItems(deps, refusals);
  app.addHook("onClose", async () => {
    await refusals.flush();
    await counter.flush();
  });
  app.decorateRequest("app");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _body, done) => done(null)); // the body is read as a stream

  /**
   * Finds the app of a request and decides whether to accept it, with the checks of `/api/ingest` in the same order.
   */
  const admit = async (request: FastifyRequest, reply: FastifyReply, key: string | undefined): Promise<App> => {
    const { app: found, refusal } = await authenticateAndCount(deps, key, request.ip);
    if (`${found.number}` !== (request.params as { appNumber?: string }).appNumber) throw invalidKey();
    request.app = found;
    allowOrigins(request, reply, found.allowedOrigins, exposed);
    if (refusal) throw refusal;
    if (found.suspendedSince !== null) {
      throw new Refusal("org_suspended", { reason: "over_allowance", since: found.suspendedSince });
    }
    if (found.suspensionLapsed) await recordLapses(deps.db, deps.clock.now(), found.organisationId);
    if (!found.enabled) throw new Refusal("app_disabled");
    deps.disks.requireRoom();
    askForBody(request, reply);
    return found;
  };
  const options = {
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      answerHalfClose(request.raw);
      allowOrigins(request, reply, null, exposed);
      delete request.headers["content-type"]; // clients send arbitrary types, which mean nothing
      const key = keyOfHead(request.headers, request.url);
      if (key !== undefined) await admit(request, reply, key);
    },
    onSend: (
      request: FastifyRequest,
      reply: FastifyReply,
      payload: unknown,
      done: (error: null, payload: unknown) => void,
    ) => {
      if (reply.refusal?.code === "rate_limit_exceeded") {
        reply.header("x-sentry-rate-limits", `${reply.getHeader("retry-after")}::key`); // for all categories
      }
      if (request.app && reply.refusal) refusals.add(request.app, reply.refusal.code);
      done(null, payload);
    },
  };

  for (const slash of ["", "/"] as const) {
    const envelope = { ...submitSentryEnvelope, path: `${submitSentryEnvelope.path}${slash}` } as const;
    const event = { ...submitSentryEvent, path: `${submitSentryEvent.path}${slash}` } as const;
    for (const { path } of [envelope, event]) app.options(path.replace("{appNumber}", ":appNumber"), preflight);
    serve(
      app,
      envelope,
      async (request, reply) => {
        const admitted = async ({ dsn }: { dsn?: unknown }) => request.app ?? admit(request, reply, keyOfDsn(dsn));
        const id = await receiveEnvelope(deps, readBody(deps, request.raw, request.app), admitted, counter);
        return id === undefined ? {} : { id };
      },
      options,
    );
    serve(
      app,
      event,
      async (request, reply) => {
        const to = request.app ?? (await admit(request, reply, undefined));
        return { id: await receiveStore(deps, readBody(deps, request.raw, to), to) };
      },
      options,
    );
  }
}
