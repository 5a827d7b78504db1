import * as threads from "@lodge/contract/dashboard/threads";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../platform/deps.ts";
import { serve } from "../platform/http/serve.ts";
import { closeThread } from "./close-thread.ts";
import { listThreads } from "./list-threads.ts";
import { postMessage } from "./post-message.ts";
import { readAsMember } from "./read-as-member.ts";

/** Threads with reporters, as the team sees them. */
export function dashboardThreadRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, threads.listThreads, ({ actor, query }) => listThreads(deps, actor, query));
  serve(app, threads.readThread, ({ actor, params, query }) =>
    readAsMember(deps, actor, params.threadId, Number(query.after ?? 0)),
  );
  serve(app, threads.answerThread, ({ actor, params, body }) =>
    postMessage(deps, { organisation_id: actor.organisationId }, params.threadId, actor, body),
  );
  serve(app, threads.closeThread, ({ actor, params }) => closeThread(deps, actor, params.threadId));
}
