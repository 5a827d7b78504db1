import * as runs from "@lodge/contract/dashboard/runs";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { cancelRun } from "./cancel-run.ts";
import { createRunner } from "./create-runner.ts";
import { listRunners } from "./list-runners.ts";
import { listRuns, showRun } from "./list-runs.ts";
import { readRunLog, readRunPatch } from "./read-run-log.ts";
import { releaseRun } from "./release-run.ts";
import { retryPullRequest } from "./retry-pull-request.ts";
import { revokeRunner } from "./revoke-runner.ts";

/** The runs of the organisation's agent. */
export function runRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, runs.listRuns, ({ actor, query }) => listRuns(deps, actor, query));
  serve(app, runs.getRun, ({ actor, params }) => showRun(deps.db, actor.organisationId, params.runId));
  serve(app, runs.readRunLog, ({ actor, params, query }) => readRunLog(deps, actor, params.runId, query));
  serve(app, runs.readRunPatch, async ({ actor, params }, reply) => {
    const patch = await readRunPatch(deps, actor, params.runId);
    return reply
      .type("text/x-diff; charset=utf-8")
      .header("content-disposition", `attachment; filename="${params.runId}.patch"`)
      .send(patch);
  });
  serve(app, runs.listRunners, ({ actor }) => listRunners(deps, actor));
  serve(app, runs.createRunner, ({ actor, body }) => createRunner(deps, actor, body));
  serve(app, runs.revokeRunner, ({ actor, params }) => revokeRunner(deps, actor, params.runnerId));
  serve(app, runs.releaseRun, ({ actor, params }) => releaseRun(deps, actor, params.runId));
  serve(app, runs.cancelRun, ({ actor, params }) => cancelRun(deps, actor, params.runId));
  serve(app, runs.retryPullRequest, ({ actor, params }) => retryPullRequest(deps, actor, params.runId));
}
