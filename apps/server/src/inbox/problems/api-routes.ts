import * as problems from "@lodge/contract/apiproblems";
import type { FastifyInstance } from "fastify";
import { readKeptBody, serveChange } from "../../board/tickets/serve-change.ts";
import { requireToken } from "../../people/tokens/require-token.ts";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { listProblems, readProblem } from "./list-problems.ts";
import { readEvent, readProblemEvents } from "./read-problem-events.ts";
import { updateProblem } from "./update-problem.ts";

/**
 * The operations with which tokens read and change the problems and events of their organisation (contract section 8).
 */
export function problemRoutes(app: FastifyInstance, deps: Deps) {
  app.decorateRequest("token");
  readKeptBody(app, deps);
  const reading = (operation: Parameters<typeof requireToken>[1]) => ({ onRequest: requireToken(deps, operation) });
  serve(
    app,
    problems.listProblems,
    ({ token, query }) => listProblems(deps, token, query),
    reading(problems.listProblems),
  );
  serve(
    app,
    problems.readProblem,
    ({ token, params }) => readProblem(deps, token, params.problemId),
    reading(problems.readProblem),
  );
  serve(
    app,
    problems.readProblemEvents,
    ({ token, params, query }) => readProblemEvents(deps, token, params.problemId, query),
    reading(problems.readProblemEvents),
  );
  serve(
    app,
    problems.readEvent,
    ({ token, params }) => readEvent(deps, token, params.eventId),
    reading(problems.readEvent),
  );

  serveChange(
    app,
    deps,
    problems.updateProblem,
    async ({ params }) => (params as { problemId: string }).problemId.toLowerCase(),
    ({ token, body }, problemId, idempotency) => updateProblem(deps, token, problemId, body, idempotency),
  );
}
