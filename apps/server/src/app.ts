import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { errorMessages } from "@lodge/contract/errors";
import { compileCheck } from "@lodge/contract/problems";
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import type { TSchema } from "typebox";
import { appRoutes } from "./apps/routes.ts";
import type { Deps } from "./platform/deps.ts";
import { invalidInput, Refusal, statusOf } from "./platform/errors.ts";
import { askForBody, holdContinue, holdsBodyBack } from "./platform/expect-continue.ts";
import { requestSeconds } from "./platform/metrics.ts";
import { operationRoutes } from "./platform/routes.ts";
import { reportRoutes } from "./reports/routes.ts";
import { ticketRoutes } from "./tickets/routes.ts";
import { authenticateToken } from "./tokens/authenticate-token.ts";

const requestTimeoutMs = 600_000;
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

declare module "fastify" {
  interface FastifyReply {
    refusal: Refusal | undefined;
  }
}

/** The server with the routes of every room, not yet listening. `prepare` may add what is to see every route. */
export function buildApp(deps: Deps, prepare: (app: FastifyInstance) => void = () => {}): FastifyInstance {
  const app = fastify({
    loggerInstance: deps.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    requestTimeout: requestTimeoutMs,
    return503OnClosing: false,
    forceCloseConnections: "idle",
    trustProxy: deps.config.trustedProxies.length > 0 ? [...deps.config.trustedProxies] : false,
    routerOptions: { caseSensitive: true },
    clientErrorHandler: (error, socket) => refuseBrokenRequest(error, socket),
  });
  app.setValidatorCompiler(({ schema, httpPart }) => {
    if (httpPart === "headers") return () => true; // documented only; a route checks its own
    const check = compileCheck(schema as TSchema);
    return (value: unknown) => (check.accepts(value) ? { value } : { error: invalidInput(check.problemsOf(value)) });
  });
  holdContinue(app.server);
  app.decorateReply("refusal");
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));
  app.setErrorHandler((error: FastifyError | Refusal, request, reply) => refuse(asRefusal(error, request), reply));
  app.setNotFoundHandler((request, reply) => refuse(unknownRoute(app, request), reply));
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
  });
  let closing = false;
  app.addHook("preClose", async () => {
    closing = true;
  });
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (closing) reply.header("connection", "close"); // else the server would wait for connections that are kept alive
    done(null, payload);
  });
  app.addHook("preParsing", async (request, reply) => askForBody(request, reply));
  app.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "unknown";
    requestSeconds.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
    request.log.info(
      { method: request.method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime * 10) / 10 },
      "answered",
    );
  });

  prepare(app);
  app.register(
    operationRoutes(deps, async (request) => {
      await authenticateToken(deps, request.headers.authorization, "metrics:read", undefined);
    }),
  );
  if (deps.config.roles.includes("api")) app.register(ticketRoutes(deps));
  if (deps.config.roles.includes("ingest")) {
    app.register(appRoutes(deps));
    app.register(reportRoutes(deps));
  }
  return app;
}

function refuse(refusal: Refusal, reply: FastifyReply) {
  reply.refusal = refusal;
  if (holdsBodyBack(reply.request)) reply.header("connection", "close");
  return reply
    .code(statusOf[refusal.code])
    .headers(refusal.headers)
    .send({ error: refusal.code, message: errorMessages[refusal.code], ...refusal.body });
}

/** What a caller can act on stays as it is; anything else is logged and masked. */
function asRefusal(error: FastifyError | Refusal, request: FastifyRequest): Refusal {
  if (error instanceof Refusal) return error;
  if (error.code?.startsWith("FST_ERR_CTP_")) {
    const tooLarge = error.code === "FST_ERR_CTP_BODY_TOO_LARGE";
    const message = tooLarge ? `The body must have at most ${request.routeOptions.bodyLimit} bytes` : error.message;
    return new Refusal("invalid_input", { details: [{ path: "", message }] }, tooLarge ? { connection: "close" } : {});
  }
  request.log.error({ err: error }, "failed");
  return new Refusal("internal_error", { requestId: request.id });
}

function unknownRoute(app: FastifyInstance, request: FastifyRequest): Refusal {
  const url = request.url.split("?", 1)[0] ?? "/";
  const allowed = methods.filter((method) => app.findRoute({ url, method }) !== null);
  return allowed.length > 0
    ? new Refusal("method_not_allowed", {}, { allow: allowed.join(", ") })
    : new Refusal("not_found");
}

/** What Node could not read as HTTP has no request to answer to; it still gets JSON and a closed connection. */
function refuseBrokenRequest(error: Error & { code?: string }, socket: Socket) {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const timeout = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
  const code = timeout ? "request_timeout" : "bad_request";
  const body = JSON.stringify({ error: code, message: errorMessages[code] });
  socket.end(
    `HTTP/1.1 ${timeout ? "408 Request Timeout" : "400 Bad Request"}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}
