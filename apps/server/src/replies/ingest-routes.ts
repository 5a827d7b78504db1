import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { ErrorBody } from "@lodge/contract/error-body";
import {
  DeviceThreads,
  Message,
  MessageFilter,
  MessagePage,
  messageBodyBytesMax,
  PostMessage,
} from "@lodge/contract/replies";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { allowOrigins, answerPreflight } from "../apps/cors.ts";
import type { Deps } from "../platform/deps.ts";
import type { Refusal } from "../platform/errors.ts";
import { parseJson, readBody } from "../platform/http/json-body.ts";
import { authenticateDevice, authenticateThread } from "./authenticate-reporter.ts";
import { listDeviceThreads } from "./list-device-threads.ts";
import { postMessage } from "./post-message.ts";
import { readAsReporter } from "./read-as-reporter.ts";

const messagesPath = "/api/threads/:threadId/messages";
const devicePath = "/api/devices/:deviceId/threads";

// A path that is no UUID has no token that fits, so it is refused as any other thread of somebody else's.
const threadParams = Type.Object({ threadId: Type.String({ description: "The thread, of a receipt." }) });
const deviceParams = Type.Object({ deviceId: Type.String({ description: "The device, of a receipt." }) });
const errors = { "4xx": ErrorBody, "5xx": ErrorBody };

declare module "fastify" {
  interface FastifyRequest {
    threadAppId: string;
  }
}

/** What the SDK of a reporter uses: the messages of a thread, and what has news for a device. */
export const replyRoutes =
  (deps: Deps): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.decorateRequest("threadAppId");
    app.removeAllContentTypeParsers();
    const limits = { bytesMax: messageBodyBytesMax, idleMs: deps.config.ingestIdleMs };
    app.addContentTypeParser("*", async (request: FastifyRequest) =>
      parseJson(request.headers, await readBody(request, limits)),
    );
    for (const path of [messagesPath, devicePath]) {
      const methods = path === messagesPath ? "GET, POST" : "GET";
      app.options(path, { schema: { hide: true } }, answerPreflight(methods));
    }
    const openThread = async (request: FastifyRequest, reply: FastifyReply) => {
      allowOrigins(request, reply, null);
      const { threadId } = request.params as { threadId: string };
      const thread = await authenticateThread(deps, request.headers.authorization, threadId);
      admit(request, reply, thread);
      request.threadAppId = thread.appId;
    };

    app.get(
      messagesPath,
      {
        onRequest: openThread,
        schema: {
          operationId: "listMessages",
          summary: "Read the messages of a thread",
          description: "Asking for what comes after a message confirms that the reporter has it: it is no longer news.",
          tags: ["Replies"],
          security: [{ threadToken: [] }],
          params: threadParams,
          querystring: MessageFilter,
          response: { 200: MessagePage, ...errors },
        },
      },
      (request) => readAsReporter(deps, request.threadAppId, request.params.threadId, Number(request.query.after ?? 0)),
    );

    app.post(
      messagesPath,
      {
        onRequest: openThread,
        schema: {
          operationId: "postMessage",
          summary: "Answer as the reporter",
          tags: ["Replies"],
          security: [{ threadToken: [] }],
          params: threadParams,
          body: PostMessage,
          response: { 201: Message, ...errors },
        },
      },
      async (request, reply) => {
        const { threadAppId, params, body } = request;
        return reply
          .code(201)
          .send(await postMessage(deps, { app_id: threadAppId }, params.threadId, "reporter", body));
      },
    );

    app.get(
      devicePath,
      {
        onRequest: async (request, reply) => {
          allowOrigins(request, reply, null);
          const { deviceId } = request.params as { deviceId: string };
          admit(request, reply, await authenticateDevice(deps, request.headers.authorization, deviceId));
        },
        schema: {
          operationId: "listDeviceThreads",
          summary: "List which threads of a device have news",
          tags: ["Replies"],
          security: [{ deviceToken: [] }],
          params: deviceParams,
          response: { 200: DeviceThreads, ...errors },
        },
      },
      (request) => listDeviceThreads(deps, request.params.deviceId),
    );
  };

function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  { allowedOrigins, refusal }: { allowedOrigins: string[] | null; refusal: Refusal | undefined },
) {
  allowOrigins(request, reply, allowedOrigins);
  reply.header("cache-control", "no-store");
  if (refusal) throw refusal;
}
