import { messageBodyBytesMax } from "@lodge/contract/limits";
import * as replies from "@lodge/contract/replies";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import type { Refusal } from "../../platform/errors.ts";
import { parseJson, readBody } from "../../platform/http/json-body.ts";
import { serve } from "../../platform/http/serve.ts";
import { allowOrigins, answerPreflight } from "../apps/cors.ts";
import { authenticateDevice, authenticateThread } from "./authenticate-reporter.ts";
import { listDeviceThreads } from "./list-device-threads.ts";
import { postMessage } from "./post-message.ts";
import { readAsReporter } from "./read-as-reporter.ts";

declare module "fastify" {
  interface FastifyRequest {
    threadAppId: string;
  }
}

/** The operations for a reporter's SDK: the messages of a thread, and the threads of a device with unread messages. */
export function replyRoutes(app: FastifyInstance, deps: Deps) {
  app.decorateRequest("threadAppId");
  app.removeAllContentTypeParsers();
  const limits = { bytesMax: messageBodyBytesMax, idleMs: deps.config.ingestIdleMs };
  app.addContentTypeParser("*", async (request: FastifyRequest) =>
    parseJson(request.headers, await readBody(request, limits)),
  );
  app.options("/api/threads/:threadId/messages", answerPreflight("GET, POST"));
  app.options("/api/devices/:deviceId/threads", answerPreflight("GET"));

  const openThread = async (request: FastifyRequest, reply: FastifyReply) => {
    allowOrigins(request, reply, null);
    const { threadId } = request.params as { threadId: string };
    const thread = await authenticateThread(deps, request.headers.authorization, threadId);
    admit(request, reply, thread);
    request.threadAppId = thread.appId;
  };
  const openDevice = async (request: FastifyRequest, reply: FastifyReply) => {
    allowOrigins(request, reply, null);
    const { deviceId } = request.params as { deviceId: string };
    admit(request, reply, await authenticateDevice(deps, request.headers.authorization, deviceId));
  };

  serve(
    app,
    replies.listMessages,
    ({ threadAppId, params, query }) => readAsReporter(deps, threadAppId, params.threadId, Number(query.after ?? 0)),
    { onRequest: openThread },
  );
  serve(
    app,
    replies.postMessage,
    ({ threadAppId, params, body }) => postMessage(deps, { app_id: threadAppId }, params.threadId, "reporter", body),
    { onRequest: openThread },
  );
  serve(app, replies.listDeviceThreads, ({ params }) => listDeviceThreads(deps, params.deviceId), {
    onRequest: openDevice,
  });
}

function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  { allowedOrigins, refusal }: { allowedOrigins: string[] | null; refusal: Refusal | undefined },
) {
  allowOrigins(request, reply, allowedOrigins);
  reply.header("cache-control", "no-store");
  if (refusal) throw refusal;
}
