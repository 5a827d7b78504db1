import * as threads from "@lodge/contract/dashboard/threads";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { closeThread } from "./close-thread.ts";
import { countThreads } from "./count-threads.ts";
import { getThread } from "./get-thread.ts";
import { listThreads } from "./list-threads.ts";
import { markThreadRead } from "./mark-thread-read.ts";
import { postMessage } from "./post-message.ts";
import { readAsMember } from "./read-as-member.ts";

/** The team's operations for threads with reporters. */
export function dashboardThreadRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, threads.listThreads, ({ actor, query }) => listThreads(deps, actor, query));
  serve(app, threads.countThreads, ({ actor }) => countThreads(deps, actor));
  serve(app, threads.getThread, ({ actor, params }) => getThread(deps, actor, params.threadId));
  serve(app, threads.markThreadRead, ({ actor, params, body }) =>
    markThreadRead(deps, actor, params.threadId, body.number),
  );
  serve(app, threads.readThread, ({ actor, params, query }) =>
    readAsMember(deps, actor, params.threadId, Number(query.after ?? 0)),
  );
  serve(app, threads.answerThread, ({ actor, params, body }) =>
    postMessage(deps, { organisation_id: actor.organisationId }, params.threadId, actor, body),
  );
  serve(app, threads.closeThread, ({ actor, params }) => closeThread(deps, actor, params.threadId));
}
