import { setTimeout as sleep } from "node:timers/promises";
import { CallError, type Caller, createCaller, reasonOf } from "@lodge/contract/call";
import * as runners from "@lodge/contract/calls.generated";
import type {
  Finish,
  LogEntry,
  OpenedPullRequest,
  SeenPullRequest,
  TakenRun,
  WantedPullRequest,
  WatchedPullRequest,
} from "@lodge/contract/runners";

const requestTimeoutMs = 60_000;
const retryMsMin = 500;
const retryMsMax = 10_000;

/** The requests of a runner to its server. Each is retried until the server responds, without a time limit. */
export type LodgeServer = {
  /** Waits up to 25 s for a run. */
  take: (takeId: string, waitSeconds: number, signal: AbortSignal) => Promise<TakenRun | null>;
  /** Renews the lease. Returns the first comment of a person since the run's last question, and the ticket's number. */
  heartbeat: (run: Held, signal: AbortSignal) => Promise<Beat>;
  askPeople: (run: Held, question: string, signal: AbortSignal) => Promise<void>;
  appendLog: (run: Held, offset: number, entries: LogEntry[], signal: AbortSignal) => Promise<void>;
  /** Returns the pull requests to check and to open now. */
  watchPullRequests: (
    signal: AbortSignal,
  ) => Promise<{ pullRequests: WatchedPullRequest[]; wanted: WantedPullRequest[] }>;
  reportOpening: (runId: string, opened: OpenedPullRequest, signal: AbortSignal) => Promise<void>;
  reportPullRequest: (runId: string, seen: SeenPullRequest, signal: AbortSignal) => Promise<void>;
  finish: (run: Held, result: Omit<Finish, "fence">, signal: AbortSignal) => Promise<void>;
};
/** The fields that every write to a run includes. */
export type Held = Pick<TakenRun, "id" | "fence">;
/** The answer to a heartbeat. */
type Beat = { answer: Answer | null; ticketNumber: string | null };
/** A person's answer, in a comment on the ticket. */
export type Answer = { id: string; author: string; text: string };

/** Whether the runner lost its lease and must stop working on the run. */
export const isLost = (error: unknown): boolean => error instanceof CallError && error.code === "lease_lost";

/** Opens a client of the server at `url` with the runner's token. */
export function openLodgeServer(url: string, token: string, onAway: (error: CallError) => void): LodgeServer {
  const headers = { authorization: `Bearer ${token}` };

  async function ask<Answer>(signal: AbortSignal, send: (call: Caller) => Promise<Answer>): Promise<Answer> {
    for (let pauseMs = retryMsMin; ; pauseMs = Math.min(pauseMs * 2, retryMsMax)) {
      signal.throwIfAborted();
      const timeout = AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]);
      const fetchIt: typeof fetch = (address, init) =>
        fetch(address, { ...init, signal: timeout }).catch((error: Error) => {
          throw new CallError("unreachable", `The service cannot be reached at ${url}: ${reasonOf(error)}.`);
        });
      try {
        return await send(createCaller({ baseUrl: url, headers, fetch: fetchIt }));
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof CallError) || !isTemporary(error)) throw error;
        onAway(error);
        await sleep((error.retryAfterSeconds ?? 0) * 1000 || pauseMs, undefined, { signal });
      }
    }
  }
  const params = ({ id: runId }: Held) => ({ runId });

  return {
    take: async (takeId, waitSeconds, signal) =>
      (await ask(signal, (call) => call(runners.takeRun, { body: { takeId, waitSeconds } }))).run,
    heartbeat: (run, signal) =>
      ask(signal, (call) => call(runners.heartbeatRun, { params: params(run), body: { fence: run.fence } })),
    askPeople: (run, text, signal) =>
      ask(signal, (call) => call(runners.askForInput, { params: params(run), body: { fence: run.fence, text } })),
    appendLog: async (run, offset, entries, signal) => {
      const body = { fence: run.fence, offset, entries };
      await ask(signal, (call) => call(runners.appendRunLog, { params: params(run), body }));
    },
    watchPullRequests: (signal) => ask(signal, (call) => call(runners.watchPullRequests, { body: {} })),
    reportOpening: (runId, opened, signal) =>
      ask(signal, (call) => call(runners.reportOpening, { params: { runId }, body: opened })),
    reportPullRequest: (runId, seen, signal) =>
      ask(signal, (call) => call(runners.reportPullRequest, { params: { runId }, body: seen })),
    finish: (run, result, signal) =>
      ask(signal, (call) => call(runners.finishRun, { params: params(run), body: { fence: run.fence, ...result } })),
  };
}

/** Whether a retry may succeed. */
const isTemporary = ({ code, status }: CallError) => code === "unreachable" || status >= 500 || status === 429;
