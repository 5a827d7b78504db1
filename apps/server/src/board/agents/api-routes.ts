import { runnerBodyBytesMax } from "@lodge/contract/limits";
import * as runners from "@lodge/contract/runners";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { acceptRunners } from "./accept-runners.ts";
import { appendRunLog } from "./append-run-log.ts";
import { askForInput } from "./ask-for-input.ts";
import { finishRun } from "./finish-run.ts";
import { heartbeatRun } from "./heartbeat-run.ts";
import { listRunnerRepositories } from "./list-runner-repositories.ts";
import { takeRun } from "./take-run.ts";

/** The operations for runners (contract section 11). */
export function runnerRoutes(app: FastifyInstance, deps: Deps) {
  acceptRunners(app, deps);
  const closing = new AbortController();
  app.addHook("preClose", async () => closing.abort());
  const options = { bodyLimit: runnerBodyBytesMax };
  const held = (request: { params: { runId: string }; body: { fence: number } }) => ({
    runId: request.params.runId,
    fence: request.body.fence,
  });

  serve(app, runners.takeRun, async (request, reply) => {
    const gone = new AbortController();
    reply.raw.once("close", () => gone.abort());
    const signal = AbortSignal.any([closing.signal, gone.signal]);
    return { run: await takeRun(deps, request.runner, request.body, signal) };
  });
  serve(app, runners.listRunnerRepositories, async ({ runner }) => ({
    repositories: await listRunnerRepositories(deps.db, runner),
  }));
  serve(app, runners.heartbeatRun, (request) => heartbeatRun(deps, request.runner, held(request)));
  serve(
    app,
    runners.appendRunLog,
    async (request) => ({ length: await appendRunLog(deps, request.runner, held(request), request.body) }),
    options,
  );
  serve(app, runners.askForInput, (request) => askForInput(deps, request.runner, held(request), request.body.text));
  serve(app, runners.finishRun, ({ runner, params, body }) => finishRun(deps, runner, params.runId, body), options);
}
