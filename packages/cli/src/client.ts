import { setTimeout as sleep } from "node:timers/promises";
import { CallError, type Caller, createCaller, reasonOf } from "@lodge/contract/call";
import { Failure } from "./failure.ts";
import type { Terminal } from "./terminal.ts";

const triesMax = 5;
const firstWaitMs = 500;
const tryTimeoutMs = 60_000;
/** The longest `Retry-After` that the client honours: the window of a rate limit is a minute. */
const waitMsMax = 120_000;

/** The options of a client; tests replace `wait`. */
export type ClientOptions = {
  address: string;
  secret: string;
  terminal: Terminal;
  headers?: Record<string, string>;
  onAnswer?: (response: Response) => void;
  wait?: (ms: number) => Promise<unknown>;
};

/** A client that calls operations with a token or key, and retries as `retrying` does. */
export const openClient = ({ address, secret, headers, ...options }: ClientOptions): Caller =>
  createCaller({
    baseUrl: address,
    headers: { authorization: `Bearer ${secret}`, "user-agent": userAgent, ...headers },
    fetch: retrying(options),
  });

export const userAgent = `lodge/${typeof __LODGE_VERSION__ === "string" ? __LODGE_VERSION__ : "0"}`;

/**
 * A `fetch` that retries 429, 5xx and requests without a response, up to five tries in all (interface section 4.2). It
 * waits as long as `Retry-After` says, or else with exponential backoff and jitter, and gives up at the command's
 * deadline. Does not follow redirects, which would lose the body or send the secret to another host. A successful
 * response that is not JSON is an error.
 */
export function retrying({
  terminal,
  onAnswer = () => {},
  wait = sleep,
}: Pick<ClientOptions, "terminal" | "onAnswer" | "wait">): typeof fetch {
  return async (input, init) => {
    for (let tried = 1; ; tried++) {
      const leftMs = terminal.deadlineAt - performance.now();
      if (leftMs <= 0) throw new Error(outOfTime);
      const answer = await fetch(input, {
        ...init,
        redirect: "manual",
        signal: init?.signal ?? AbortSignal.timeout(Math.ceil(Math.min(tryTimeoutMs, leftMs))),
      })
        .then(readWhole)
        .catch((error: Error) => error);
      const why = answer instanceof Error ? reasonOf(answer) : `${answer.status}`;
      terminal.explain(`${init?.method ?? "GET"} ${String(input)}: ${why}`);
      if (!(answer instanceof Error) && !(answer.status === 429 || answer.status >= 500)) {
        const target = answer.headers.get("location");
        if (answer.status >= 300 && answer.status < 400 && target) {
          throw new Error(`it redirects to ${target}. Set LODGE_URL to that address`);
        }
        const type = answer.headers.get("content-type")?.split(";")[0] ?? "no Content-Type";
        if (answer.ok && answer.status !== 204 && !type.endsWith("json")) {
          throw notLodge(`${String(input)} answered with ${type} instead of JSON`);
        }
        onAnswer(answer);
        return answer;
      }
      if (tried === triesMax || init?.signal?.aborted) {
        if (answer instanceof Error) throw new Error(`${why}, tried ${tried} times`);
        onAnswer(answer);
        return answer;
      }
      const ms = waitMs(tried, answer instanceof Error ? null : answer.headers.get("retry-after"));
      if (performance.now() + ms >= terminal.deadlineAt) {
        throw new Error(`${why}, tried ${tried === 1 ? "once" : `${tried} times`}: ${outOfTime}`);
      }
      terminal.say(`Failed (${why}). Retrying in ${(ms / 1000).toFixed(1)} s.`);
      await wait(ms);
    }
  };
}

const outOfTime = "no time is left for a retry (--timeout)";

/** Reads the whole body, so that a truncated response fails and is retried. */
const readWhole = async (answer: Response): Promise<Response> =>
  new Response(answer.body && (await answer.arrayBuffer()), answer);

/** A response that is not from Lodge: a retry would not help. */
const notLodge = (what: string) =>
  new CallError(
    "unreachable",
    `${what}. Check that LODGE_URL is the address of Lodge and that no proxy asks for a sign-in.`,
    {
      status: 200,
    },
  );

function waitMs(tried: number, retryAfter: string | null): number {
  const asked = retryAfter === null || retryAfter === "" ? Number.NaN : Number(retryAfter);
  const backoff = firstWaitMs * 2 ** (tried - 1) * (0.5 + Math.random());
  return Math.min(Number.isFinite(asked) ? asked * 1000 + Math.random() * 250 : backoff, waitMsMax);
}

/** The failure to report for a failed call (contract section 9). */
export function failureOf(error: CallError, address: string): Failure {
  const { code, status, details, docs, required } = error;
  if (code === "unreachable") {
    const { message } = error;
    return new Failure("unreachable", message.startsWith(address) ? message : `${address}: ${message}`);
  }
  const lines = [
    `Refused: ${code}. ${required === undefined ? error.message : `The token lacks the permission ${required}.`}`,
    ...details.map(({ path, message }) => `  ${path || "the body"}: ${message}`),
    ...(docs ? [`See ${docs}`] : []),
  ];
  return new Failure(status >= 500 ? "unreachable" : "refused", lines.join("\n"));
}
