import { reportOpening, reportPullRequest, watchPullRequests } from "@lodge/contract/runners";
import type { FastifyInstance } from "fastify";
import { acceptRunners } from "../../board/agents/accept-runners.ts";
import { recordOpening } from "../../board/agents/record-opening.ts";
import { takePullRequests } from "../../board/agents/take-pull-requests.ts";
import { takeWantedPullRequests } from "../../board/agents/take-wanted-pull-requests.ts";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { settlePullRequest } from "./settle-pull-request.ts";

/** The operations for the pull requests of runs, for runners. */
export function pullRequestRoutes(app: FastifyInstance, deps: Deps) {
  acceptRunners(app, deps);
  serve(app, watchPullRequests, async ({ runner }) => ({
    pullRequests: await takePullRequests(deps, runner),
    wanted: await takeWantedPullRequests(deps, runner),
  }));
  serve(app, reportOpening, ({ runner, params, body }) => recordOpening(deps, runner, params.runId, body));
  serve(app, reportPullRequest, ({ runner, params, body }) => settlePullRequest(deps, runner, params.runId, body));
}
