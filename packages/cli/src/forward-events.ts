import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { addressOf, CallError, readError, reasonOf, unanswered } from "@lodge/contract/call";
import { listEvents } from "@lodge/contract/calls.generated";
import { failureOf, retrying, userAgent } from "./client.ts";
import { type Environment, readAddress, requireToken } from "./credentials.ts";
import { Failure } from "./failure.ts";
import { forwardStateFile, keepForwardState, readForwardState } from "./forward-state.ts";
import { sliceEvents } from "./slice-events.ts";
import type { Terminal } from "./terminal.ts";

/** The options of `lodge events forward` (contract section 9). */
export type ForwardOptions = { to: string; app?: string; from?: "oldest" | "now" };

const waitSeconds = 30;
/** The least time between two requests for events: the rate limit of a token is 60 per minute. */
const pauseMs = 1_100;
/** The wait between tries while the target does not answer, and the timeout of a try. */
const retryMs = 1_000;
const attemptTimeoutMs = 15_000;

/** The cursor for "now". The server answers it without waiting, so the position is saved before new events arrive. */
const fromNow = "latest";

type Page = { text: string; next: string };

/**
 * Forwards events to a developer's machine as they arrive, in the format and with the signature of a webhook. Continues
 * after the last event sent by the previous run. An event without a response is sent again with the same `webhook-id`;
 * an event that the target refuses is not retried, only its status is printed. Ends only if Lodge refuses a request or
 * cannot be reached at the start.
 */
export async function forwardEvents(options: ForwardOptions, env: Environment, terminal: Terminal): Promise<number> {
  const token = requireToken(env, terminal);
  const address = readAddress(env);
  const target = readTarget(options.to);
  const file = forwardStateFile(address, options.app ?? "", target);
  const state = await readForwardState(file).catch((error: Error) => {
    throw new Failure("usage", `${file} cannot be read: ${error.message}`);
  });
  const { secret } = state;
  let next: string | undefined = state.next ?? fromNow;
  if (options.from) next = options.from === "now" ? fromNow : undefined;
  const continues = !options.from && state.next !== undefined;
  terminal.say(
    `Forwarding events of ${options.app ?? "all apps"} to ${target}${continues ? ", after the last event sent" : ""}.`,
  );
  await keepForwardState(file, state); // saved before it is printed, so that the next start has the same secret
  terminal.say(`Signing secret: ${secret}`);

  let wasReached = false;
  for (;;) {
    const began = performance.now();
    const page = await readPage(address, token, next, options.app, terminal).catch((error: unknown) => {
      if (!(error instanceof CallError)) throw error;
      const failure = failureOf(error, address);
      if (wasReached && error.code === "unreachable") return terminal.say(failure.message);
      throw failure;
    });
    wasReached = true;
    const events = page ? sliceEvents(page.text) : [];
    for (const event of events) await deliver(target, secret, event, terminal);
    if (page) {
      next = page.next;
      await keepForwardState(file, { secret, next });
    }
    await sleep(Math.max(0, began + pauseMs - performance.now()));
  }
}

function readTarget(to: string): string {
  if (!URL.canParse(to) || !/^https?:$/.test(new URL(to).protocol)) {
    throw new Failure("usage", "--to must be an http or https address, like http://localhost:3000/hook.");
  }
  return new URL(to).href;
}

async function readPage(
  address: string,
  token: string,
  after: string | undefined,
  app: string | undefined,
  terminal: Terminal,
): Promise<Page> {
  const url = `${address}${addressOf(listEvents.path, {}, { after, app, wait: after === fromNow ? 0 : waitSeconds })}`;
  const headers = { authorization: `Bearer ${token}`, "user-agent": userAgent, accept: "application/json" };
  const response = await retrying({ terminal })(url, { method: listEvents.method, headers }).catch((error: Error) => {
    throw unanswered(error);
  });
  if (!response.ok) throw await readError(response);
  const text = await response.text();
  return { text, next: (JSON.parse(text) as Page).next };
}

/** Sends an event until the target answers with any status, and prints the status. */
async function deliver(target: string, secret: string, event: string, terminal: Terminal): Promise<void> {
  const { eventId, receivedAt } = JSON.parse(event) as { eventId: string; receivedAt: string };
  const body = `{"type":"report.received","timestamp":"${receivedAt}","data":${event}}`;
  for (let tried = 1; ; tried++) {
    const began = performance.now();
    const answer = await fetch(target, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "Lodge", ...sign(secret, eventId, body) },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(attemptTimeoutMs),
    }).catch((error: Error) => error);
    if (!(answer instanceof Error)) {
      await answer.body?.cancel();
      terminal.print(`${receivedAt} ${eventId} ${answer.status} ${Math.round(performance.now() - began)} ms`);
      return;
    }
    if (tried === 1) terminal.say(`${target}: ${reasonOf(answer)}. Retrying until it answers.`);
    await sleep(retryMs);
  }
}

/** The headers of Standard Webhooks. */
function sign(secret: string, id: string, body: string): Record<string, string> {
  const timestamp = `${Math.floor(Date.now() / 1000)}`;
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}
