import { type AnswerOf, isMedia, type Operation } from "@lodge/contract/operation";
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from "fastify";
import type { Static, TSchema } from "typebox";

declare module "fastify" {
  interface FastifyContextConfig {
    /**
     * The operation that the route serves; undefined if it is not in the contract: the web app, a preflight, the
     * metrics.
     */
    operation?: Operation;
  }
}

type JsonOf<Content, Otherwise> = Content extends TSchema ? Static<Content> : Otherwise;

/** A request as an operation describes it, checked. */
export type RequestOf<Op extends Operation> = FastifyRequest<{
  Params: JsonOf<Op["params"], unknown>;
  Querystring: JsonOf<Op["query"], unknown>;
  Body: JsonOf<Op["body"], unknown>;
}>;

/** With one JSON answer, what a handler returns is that answer; with more, or with bytes, the handler sends it. */
type ResultOf<Op extends Operation> = IsOne<keyof Op["answers"]> extends true ? AnswerOf<Op> : unknown;
type IsOne<T, Whole = T> = T extends unknown ? ([Whole] extends [T] ? true : false) : never;

type Options = Pick<RouteShorthandOptions, "onRequest" | "onSend" | "bodyLimit" | "exposeHeadRoute">;

/**
 * Serves an operation: its method, its path, the checks of its input, the status of its answer. Access is checked by
 * its door, or by `onRequest`.
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
      // A reply that is waited for ends without a value, whether it was sent whole or its client has left.
      const isBegun = reply.sent || reply.raw.headersSent || reply.raw.destroyed;
      return answer === undefined && !isBegun ? reply.send() : answer;
    },
  });
}
