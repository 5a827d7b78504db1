import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerOptions } from "node:http";
import { refusalOfPath } from "@lodge/contract/operation";
import { compileCheck } from "@lodge/contract/problems";
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import type { TSchema } from "typebox";
import { asRefusal, hasEmpty, refuse, refuseBrokenRequest, unknownRoute, withCommonHeaders } from "./answer-errors.ts";
import { runnerRoutes } from "./board/agents/api-routes.ts";
import { runRoutes } from "./board/agents/dashboard-routes.ts";
import { ticketAttachmentRoutes } from "./board/attachments/api-routes.ts";
import { attachmentRoutes } from "./board/attachments/dashboard-routes.ts";
import { boardRoutes } from "./board/boards/dashboard-routes.ts";
import { csvRoutes } from "./board/csv/dashboard-routes.ts";
import { imageRoutes } from "./board/images/dashboard-routes.ts";
import { labelRoutes } from "./board/labels/dashboard-routes.ts";
import { reachRoutes } from "./board/projects/api-routes.ts";
import { projectRoutes } from "./board/projects/dashboard-routes.ts";
import { relationRoutes } from "./board/relations/dashboard-routes.ts";
import { ticketRoutes } from "./board/tickets/api-routes.ts";
import { dashboardTicketRoutes } from "./board/tickets/dashboard-routes.ts";
import { workRoutes } from "./board/work/dashboard-routes.ts";
import { liveRoutes } from "./both/live/dashboard-routes.ts";
import { pullRequestRoutes } from "./both/pull-requests/api-routes.ts";
import { retentionRoutes } from "./both/retention/dashboard-routes.ts";
import { searchRoutes } from "./both/search/dashboard-routes.ts";
import { ticketHookRoutes } from "./both/ticket-hooks/dashboard-routes.ts";
import { dashboardAppRoutes } from "./inbox/apps/dashboard-routes.ts";
import { appRoutes } from "./inbox/apps/ingest-routes.ts";
import { artifactRoutes } from "./inbox/artifacts/ingest-routes.ts";
import { eventRoutes } from "./inbox/deliveries/api-routes.ts";
import { deliveryRoutes } from "./inbox/deliveries/dashboard-routes.ts";
import { measureDeliveries } from "./inbox/deliveries/measure-deliveries.ts";
import { problemRoutes } from "./inbox/problems/api-routes.ts";
import { inboxRoutes } from "./inbox/problems/dashboard-routes.ts";
import { dashboardThreadRoutes } from "./inbox/replies/dashboard-routes.ts";
import { replyRoutes } from "./inbox/replies/ingest-routes.ts";
import { refusalRoutes } from "./inbox/reports/dashboard-routes.ts";
import { reportRoutes } from "./inbox/reports/ingest-routes.ts";
import { sentryRoutes } from "./inbox/sentry/ingest-routes.ts";
import { sourceMapRoutes } from "./inbox/source-maps/api-routes.ts";
import { subscriberRoutes } from "./inbox/subscribers/dashboard-routes.ts";
import { mcpRoutes } from "./operate/mcp/api-routes.ts";
import { referenceRoutes } from "./operate/reference/docs-routes.ts";
import { accessRoutes } from "./people/access/dashboard-routes.ts";
import { guardDashboard } from "./people/access/guard-dashboard.ts";
import { auditRoutes } from "./people/audit/dashboard-routes.ts";
import { identityProviderRoutes } from "./people/identity-providers/dashboard-routes.ts";
import { usageRoutes } from "./people/installs/dashboard-routes.ts";
import { noticeRoutes } from "./people/notifications/dashboard-routes.ts";
import { organisationRoutes } from "./people/organisations/dashboard-routes.ts";
import { ownTokenRoutes } from "./people/tokens/api-routes.ts";
import { authenticateToken } from "./people/tokens/authenticate-token.ts";
import { tokenRoutes } from "./people/tokens/dashboard-routes.ts";
import type { Deps } from "./platform/deps.ts";
import { invalidInput, Refusal } from "./platform/errors.ts";
import { compressAnswers } from "./platform/http/compress-answers.ts";
import { discardRest } from "./platform/http/discard-rest.ts";
import { askForBody, holdContinue } from "./platform/http/expect-continue.ts";
import { failureAhead } from "./platform/http/fail-ahead.ts";
import { limitConnections } from "./platform/http/limit-connections.ts";
import { operationRoutes, watchForProxies } from "./platform/http/operation-routes.ts";
import { webAppRoutes } from "./platform/http/web-app.ts";
import { labelOfCell, requestSeconds } from "./platform/observe/metrics.ts";
import { beginSpan, type Tracer } from "./platform/observe/tracing.ts";
import { readFromReplicas } from "./read-from-replicas.ts";

const requestTimeoutMs = 600_000;
const headersTimeoutMs = 10_000;
const timeoutsCheckedEveryMs = 2_000;
/** The status of a request whose client disconnected before the response, as proxies log it. It is never sent. */
const clientClosedRequest = 499;
/** Node accepts at most this much of address and headers together; `headTooLarge` says so. */
const headBytesMax = 16_384;

/** The settings that Fastify passes to the function that creates its server. */
type ServerSettings = {
  http: ServerOptions;
  connectionTimeout: number;
  requestTimeout: number;
  keepAliveTimeout: number;
};

type Routes = (app: FastifyInstance, deps: Deps) => void;

/** The operations of every module, by public API. */
const apiModules: Routes[] = [
  ticketRoutes,
  ticketAttachmentRoutes,
  reachRoutes,
  eventRoutes,
  ownTokenRoutes,
  problemRoutes,
  mcpRoutes,
  sourceMapRoutes,
  runnerRoutes,
  pullRequestRoutes,
];
const ingestModules: Routes[] = [appRoutes, reportRoutes, sentryRoutes, replyRoutes];
const dashboardModules: Routes[] = [
  accessRoutes,
  organisationRoutes,
  identityProviderRoutes,
  tokenRoutes,
  projectRoutes,
  boardRoutes,
  csvRoutes,
  dashboardAppRoutes,
  refusalRoutes,
  usageRoutes,
  auditRoutes,
  dashboardTicketRoutes,
  relationRoutes,
  workRoutes,
  labelRoutes,
  runRoutes,
  imageRoutes,
  attachmentRoutes,
  noticeRoutes,
  dashboardThreadRoutes,
  inboxRoutes,
  subscriberRoutes,
  deliveryRoutes,
  retentionRoutes,
  ticketHookRoutes,
  searchRoutes,
  liveRoutes,
];

const dashboardRoutes: Routes = (app, deps) => {
  if (deps.replicas) readFromReplicas(app, deps.replicas);
  guardDashboard(app, deps);
  compressAnswers(app);
  for (const routes of dashboardModules) routes(app, deps);
};

/**
 * The server with the operations of every module, not yet listening. `prepare` can add hooks that see every route;
 * `inFront` handles each request before the app does.
 */
export function buildApp(
  deps: Deps,
  prepare: (app: FastifyInstance) => void = () => {},
  inFront: (own: RequestListener) => RequestListener = (own) => own,
): FastifyInstance {
  const app = fastify({
    serverFactory: (own, options) => {
      const { http, connectionTimeout, requestTimeout, keepAliveTimeout } = options as ServerSettings;
      const server = createServer(http, inFront(own as RequestListener));
      server.setTimeout(connectionTimeout);
      return Object.assign(server, { requestTimeout, keepAliveTimeout });
    },
    loggerInstance: deps.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    connectionTimeout: deps.config.ingestIdleMs,
    requestTimeout: requestTimeoutMs,
    http: { headersTimeout: headersTimeoutMs, connectionsCheckingInterval: timeoutsCheckedEveryMs },
    pluginTimeout: 0, // a start may take any amount of time
    return503OnClosing: false,
    forceCloseConnections: "idle",
    trustProxy: deps.config.trustedProxies.length > 0 ? [...deps.config.trustedProxies] : false,
    routerOptions: { caseSensitive: true, maxParamLength: headBytesMax }, // a route's schema validates its parameters
    frameworkErrors: (error, request, reply) =>
      void refuse(deps, asRefusal(error, request), withCommonHeaders(deps, request, reply)),
    clientErrorHandler: (error, socket) => refuseBrokenRequest(deps, error, socket),
  });
  checkBySchemas(app);
  holdContinue(app.server);
  limitConnections(app, deps.config.trustedProxies);
  app.decorateReply("refusal");
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));
  app.setErrorHandler((error: FastifyError | Refusal, request, reply) =>
    refuse(deps, asRefusal(error, request), reply),
  );
  app.setNotFoundHandler((request, reply) => refuse(deps, unknownRoute(app, request), reply));
  const { tracer } = deps;
  if (tracer) app.addHook("onRequest", (request, reply, done) => traceRequest(tracer, request, reply, done));
  app.addHook("onRequest", async (request, reply) => {
    withCommonHeaders(deps, request, reply);
    reply.raw.once("close", () => recordAnswer(request, reply)); // also if the client disconnects before the response
    const failure = failureAhead(request.raw);
    if (failure) throw failure.error;
    if (request.is404 || hasEmpty(request.params)) throw unknownRoute(app, request); // whatever its body is
  });
  discardRests(app, deps);
  app.addHook("preParsing", async (request, reply) => askForBody(request, reply));
  const recordAnswer = answerRecorder(deps);

  prepare(app);
  app.register(
    operationRoutes(
      deps,
      watchForProxies(app),
      async (request) => {
        await authenticateToken(deps, request.headers.authorization, "metrics:read", undefined);
      },
      measureDeliveries,
    ),
  );
  registerModules(app, deps);
  return app;
}

/** Registers the operations of every module that this process has a role for. */
function registerModules(app: FastifyInstance, deps: Deps) {
  const { roles } = deps.config;
  const register = (routes: Routes, moduleDeps = deps) =>
    app.register((scope, _options, done) => {
      routes(scope, moduleDeps);
      done();
    });
  if (roles.includes("api")) for (const routes of apiModules) register(routes);
  if (roles.includes("api") || roles.includes("dashboard")) register(referenceRoutes);
  if (roles.includes("ingest")) for (const routes of ingestModules) register(routes);
  // Receivers follow these links at the ingestion address, and dashboard pages at their own.
  if (roles.includes("ingest") || roles.includes("dashboard")) register(artifactRoutes);
  if (roles.includes("dashboard")) {
    register(dashboardRoutes, { ...deps, ...deps.dashboard });
    app.register(webAppRoutes(deps));
  }
}

/** Validates every route's input with the schemas of its operation. */
function checkBySchemas(app: FastifyInstance) {
  app.setValidatorCompiler(({ schema, httpPart }) => {
    if (httpPart === "headers") return () => true; // documented only; a route validates its own
    const check = compileCheck(schema as TSchema);
    if (httpPart === "params") {
      const code = refusalOfPath(schema as TSchema);
      return (value: unknown) => (check.accepts(value) ? { value } : { error: new Refusal(code) });
    }
    return (value: unknown) => (check.accepts(value) ? { value } : { error: invalidInput(check.problemsOf(value)) });
  });
}

/** Reads what a client still sends after its response, so that it gets to read the response. */
function discardRests(app: FastifyInstance, deps: Deps) {
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // one for each client that was refused and still sends
  app.addHook("preClose", async () => {
    closing.abort();
  });
  const rest = { bytesMax: deps.config.ingestRequestBytesMax, idleMs: deps.config.ingestIdleMs };
  app.addHook("onSend", (request, reply, payload, done) => {
    // Otherwise clients would keep connections that are about to end, and the server would wait for them.
    if (closing.signal.aborted || deps.draining.aborted) reply.header("connection", "close");
    done(null, discardRest(request, reply, payload, rest, closing.signal));
  });
}

/** Returns a function that counts and logs a response once it was sent. */
function answerRecorder(deps: Deps) {
  // All of its fields are written here: searching them for secrets would cost more than writing them. Machines ask
  // routes with the level "warn" every few seconds.
  const accessLog = deps.log.child({}, { redact: [] });
  const ofCell = labelOfCell(deps.cell);
  return (request: FastifyRequest, reply: FastifyReply) => {
    const { id: reqId, method, routeOptions, ip: client } = request;
    const route = routeOptions.url ?? "unknown";
    const status = reply.raw.headersSent ? reply.statusCode : clientClosedRequest;
    requestSeconds.observe({ method, route, status, ...ofCell }, reply.elapsedTime / 1000);
    if (routeOptions.logLevel === "warn") return;
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    const { token, app } = request as Partial<FastifyRequest>;
    const speaker = token ? { tokenId: token.id } : app ? { keyId: app.keyId } : undefined;
    accessLog.info({ reqId, client, ...speaker, method, route, status, ms }, "answered");
  };
}

/** Handles a request in its own span, which is part of the client's trace. Probes have no span. */
function traceRequest(tracer: Tracer, request: FastifyRequest, reply: FastifyReply, answer: () => void) {
  const { method, routeOptions, headers } = request;
  if (routeOptions.logLevel === "warn") return answer();
  const route = routeOptions.url ?? "unknown";
  const parent = headers.traceparent?.toString();
  const attributes = { "http.request.method": method, "http.route": route, "lodge.request.id": request.id };
  const span = beginSpan(tracer, { name: `${method} ${route}`, kind: "server", attributes, parent }, answer);
  reply.raw.once("close", () => {
    const status = reply.raw.headersSent ? reply.statusCode : clientClosedRequest;
    span.set({ "http.response.status_code": status });
    span.end(status >= 500 ? (reply.refusal?.code ?? `${status}`) : undefined);
  });
}

/** A request keeps the id that a proxy or its client gave it, if it is fit for a log. */
function requestId({ headers }: { headers: IncomingHttpHeaders }): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}
