import { mkdir, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import querystring from "node:querystring";
import { setTimeout as sleep } from "node:timers/promises";
import type { TakenRun } from "@lodge/contract/runners";
import { carryOutRun } from "./carry-out-run.ts";
import { isLost, type LodgeServer } from "./lodge-server.ts";
import { removeFolder } from "./remove-folder.ts";
import { openRunLog, type RunLog } from "./run-log.ts";
import { type Conversation, failed, type Result, type Workshop } from "./workshop.ts";

const heartbeatMs = 4_000;
/** The time that a stopping runner has to deliver a result. */
const stopTimeoutMs = 5_000;

const leaseLost = "the runner lost its lease";

/**
 * Works on a run from its clone to its branch, and reports the result to the server. Stops immediately if the lease is
 * lost; gives the run back if `stop` aborts. Leaves no files or processes behind. Returns a line about the result for
 * the operator's log.
 */
export async function workOnRun(workshop: Workshop, run: TakenRun, stop: AbortSignal): Promise<string> {
  const { server } = workshop;
  const lost = new AbortController();
  const over = new AbortController();
  const parting = new AbortController();
  const conversation: Conversation = { onAnswer: () => {} };
  const beating = beat(server, run, lost, over.signal, conversation);
  const released = workshop.release(run.repository);
  const token = "token" in released ? released.token : undefined;
  const secrets = [...workshop.secrets, ...(token ? [token] : []), ...passwordsIn(run.repository.url)];
  const reachable = AbortSignal.any([lost.signal, parting.signal]);
  const log = openRunLog((offset, entries) => server.appendLog(run, offset, entries, reachable), {
    offset: run.logLength,
    secrets,
  });
  let folder: string | undefined;
  try {
    const signal = AbortSignal.any([lost.signal, stop]);
    log.add("note", `A runner took the run to work on ${run.repository.name}.`);
    const result = await (async () => {
      if ("refusal" in released) {
        log.add("note", released.refusal);
        return failed("clone_failed");
      }
      await mkdir(workshop.folder, { recursive: true, mode: 0o700 }); // a cleaner of /tmp may have deleted it
      folder = await mkdtemp(join(workshop.folder, "run-"));
      return carryOutRun(workshop, run, { folder, log, token, secrets, conversation, signal });
    })().catch((error: unknown) => {
      if (signal.aborted) return undefined;
      log.add("note", `The runner failed: ${(error as Error).message}`);
      return failed("runner_failed");
    });
    if (lost.signal.aborted) return leaseLost;
    return await handOver(workshop, run, result, { log, lost: lost.signal, parting, stop });
  } catch (error) {
    if (lost.signal.aborted || isLost(error)) {
      await workshop.kept.drop(run);
      return leaseLost;
    }
    if (!stop.aborted) throw error;
    return "the runner was stopped";
  } finally {
    over.abort();
    await beating;
    if (folder !== undefined) await removeFolder(folder, workshop.host);
  }
}

/** Reports the result of a run, or gives the run back. Aborts `parting` when a stopping runner must exit. */
async function handOver(
  { server, kept }: Workshop,
  run: TakenRun,
  result: Result | undefined,
  { log, lost, parting, stop }: { log: RunLog; lost: AbortSignal; parting: AbortController; stop: AbortSignal },
): Promise<string> {
  if (!result) {
    await server.finish(run, { outcome: "given_back" }, AbortSignal.any([lost, AbortSignal.timeout(stopTimeoutMs)]));
    return "given back";
  }
  const all = { run: { id: run.id, fence: run.fence }, result, log: log.seal() };
  await kept.keep(all).catch(() => {}); // with a full disk, the result is only in memory
  const part = () => void setTimeout(() => parting.abort(), stopTimeoutMs).unref();
  stop.addEventListener("abort", part);
  if (stop.aborted) part();
  await log.close();
  await server.finish(run, result, AbortSignal.any([lost, parting.signal]));
  await kept.drop(run);
  return `${result.outcome}${result.failure ? ` (${result.failure})` : ""}: ${log.lastNote()}`;
}

/** The password in an address, encoded and decoded. */
function passwordsIn(url: string): string[] {
  const password = URL.canParse(url) ? new URL(url).password : "";
  return [password, querystring.unescape(password)];
}

/** Renews the lease until `over`; aborts `lost` if it is lost. Passes each answer on once. */
async function beat(
  server: LodgeServer,
  run: TakenRun,
  lost: AbortController,
  over: AbortSignal,
  conversation: Conversation,
) {
  let heard: string | undefined;
  while (!over.aborted) {
    try {
      await sleep(heartbeatMs, undefined, { signal: over });
      const { answer } = await server.heartbeat(run, over);
      if (answer && answer.id !== heard) conversation.onAnswer(answer);
      heard = answer?.id ?? heard;
    } catch (error) {
      if (over.aborted) return;
      lost.abort(error); // also if the server no longer accepts the runner
      return;
    }
  }
}
