import { type AnswerOf, isMedia, type Operation } from "@lodge/contract/operation";
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from "fastify";
import type { Static, TSchema } from "typebox";

declare module "fastify" {
  interface FastifyContextConfig {
    /**
     * The operation of the route; undefined for routes outside the contract, such as the web app, preflight requests
     * and the metrics.
     */
    operation?: Operation;
  }
}

type JsonOf<Content, Otherwise> = Content extends TSchema ? Static<Content> : Otherwise;

/** A validated request of an operation. */
export type RequestOf<Op extends Operation> = FastifyRequest<{
  Params: JsonOf<Op["params"], unknown>;
  Querystring: JsonOf<Op["query"], unknown>;
  Body: JsonOf<Op["body"], unknown>;
}>;

/** If an operation has one JSON response, its handler returns it. Otherwise the handler sends the response. */
type ResultOf<Op extends Operation> = IsOne<keyof Op["answers"]> extends true ? AnswerOf<Op> : unknown;
type IsOne<T, Whole = T> = T extends unknown ? ([Whole] extends [T] ? true : false) : never;

type Options = Pick<RouteShorthandOptions, "onRequest" | "onSend" | "bodyLimit" | "exposeHeadRoute">;

/**
 * Serves an operation with the method, path, input validation and status in the contract. The API's routes, or
 * `onRequest`, check access.
 */
export function serve<Op extends Operation>(
  app: FastifyInstance,
  operation: Op,
  handler: (request: RequestOf<Op>, reply: FastifyReply) => ResultOf<Op> | Promise<ResultOf<Op>>,
  options: Options = {},
): void {
  const { method, path, params, query, body, answers } = operation;
  const [status = 200, ...others] = Object.keys(answers).map(Number);
  app.route({
    ...options,
    method,
    url: path.replace(/\{(\w+)\}/g, ":$1"),
    config: { operation },
    schema: {
      ...(params && { params }),
      ...(query && { querystring: query }),
      ...(body && !isMedia(body) && { body }),
    },
    handler: async (request, reply) => {
      if (others.length === 0) reply.code(status);
      const answer = await handler(request as unknown as RequestOf<Op>, reply);
      // An awaited reply has no value, whether it was sent or the client disconnected.
      const isBegun = reply.sent || reply.raw.headersSent || reply.raw.destroyed;
      return answer === undefined && !isBegun ? reply.send() : answer;
    },
  });
}
