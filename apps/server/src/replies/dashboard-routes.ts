import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { ThreadFilter, ThreadPage, ThreadSummary } from "@lodge/contract/dashboard/threads";
import { Message, MessageFilter, MessagePage, PostMessage } from "@lodge/contract/replies";
import { requireActor } from "../access/require-actor.ts";
import type { Deps } from "../platform/deps.ts";
import { dashboardSchema } from "../platform/http/dashboard-schema.ts";
import { pathId } from "../platform/http/path-ids.ts";
import { closeThread } from "./close-thread.ts";
import { listThreads } from "./list-threads.ts";
import { postMessage } from "./post-message.ts";
import { readAsMember } from "./read-as-member.ts";

const threadPath = pathId("threadId", "thread_not_found", "The thread.");

/** Threads with reporters, below `/api/dashboard`: all of it for every role. */
export const dashboardThreadRoutes =
  (deps: Deps): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.addHook("onRequest", requireActor(deps, "member"));

    app.get(
      "/threads",
      {
        schema: {
          ...dashboardSchema("member", "listThreads", "List the threads with reporters", { 200: ThreadPage }),
          querystring: ThreadFilter,
        },
      },
      (request) => listThreads(deps, request.actor, request.query),
    );
    app.get(
      "/threads/:threadId/messages",
      {
        schema: {
          ...dashboardSchema("member", "readThread", "Read the messages of a thread", { 200: MessagePage }),
          params: threadPath,
          querystring: MessageFilter,
        },
      },
      (request) => readAsMember(deps, request.actor, request.params.threadId, Number(request.query.after ?? 0)),
    );
    app.post(
      "/threads/:threadId/messages",
      {
        schema: {
          ...dashboardSchema("member", "answerThread", "Answer a reporter", { 201: Message }),
          params: threadPath,
          body: PostMessage,
        },
      },
      async ({ actor, params, body }, reply) => {
        const whose = { organisation_id: actor.organisationId };
        return reply.code(201).send(await postMessage(deps, whose, params.threadId, actor, body));
      },
    );
    app.post(
      "/threads/:threadId/close",
      {
        schema: {
          ...dashboardSchema("member", "closeThread", "Close a thread for good", { 200: ThreadSummary }),
          params: threadPath,
        },
      },
      (request) => closeThread(deps, request.actor, request.params.threadId),
    );
  };
