import { runSummaryLengthMax } from "@lodge/contract/limits";
import type { Failure, TakenRun } from "@lodge/contract/runners";
import type { Spent } from "./agents.ts";
import { askPeople } from "./ask-people.ts";
import { openEgressProxy } from "./egress-proxy.ts";
import { openQuestions } from "./questions.ts";
import { redact } from "./redact.ts";
import { type CommandEnd, runCommand } from "./run-command.ts";
import { makeRunFolders } from "./run-folders.ts";
import { treeOf } from "./sandbox.ts";
import { speakAcp } from "./speak-acp.ts";
import { ticketFile } from "./ticket-file.ts";
import type { Work, Workshop } from "./workshop.ts";

/** Runs the agent's command in a clone. Returns its usage, and the reason if it failed. */
export async function runAgent(
  workshop: Workshop,
  run: TakenRun,
  { folder, tree, log, secrets, conversation, signal }: Work & { tree: string },
): Promise<{ spent: Spent; failure?: Failure }> {
  const { isSandboxed } = workshop;
  const ticket = ticketFile(run);
  const folders = await makeRunFolders(folder, tree, ticket, isSandboxed);
  const rules = { hosts: workshop.allowedHosts, networks: workshop.networks };
  const proxy = await openEgressProxy(folders.proxySocket, rules, (target) => log.add("refused", target));
  const questions = await openQuestions(folders.questionSocket, (question, over) =>
    askPeople(workshop, run, { log, conversation, signal: AbortSignal.any([signal, over]) }, shown(question, secrets)),
  );
  let output = workshop.readOutput?.(log);
  const converse = (send: (line: string) => void, onOver: () => void) => {
    output = speakAcp(log, { cwd: treeOf(folders, isSandboxed), prompt: ticket, send, onOver });
  };
  try {
    const end = await runCommand({
      command: workshop.command,
      folders,
      env: {
        LODGE_TICKET_ID: run.ticket.id,
        LODGE_TICKET_URL: run.ticket.url,
        LODGE_RUN_ID: run.id,
        ...workshop.passedEnv,
      },
      readable: workshop.readable,
      limits: workshop.limits,
      isSandboxed,
      host: workshop.host,
      onOutput: (piece, isError) => (output && !isError ? output.write(piece) : log.write(piece)),
      converse: workshop.speaksAcp ? converse : undefined,
      waitedMs: questions.waitedMs,
      signal,
    });
    const { summary, failure, ...numbers } = output?.end() ?? {};
    const spent = { ...numbers, ...(summary && { summary: shown(summary, secrets) }) };
    signal.throwIfAborted();
    const { note, why } = outcomeOf(end, failure);
    log.add("note", note);
    return { spent, ...(why && { failure: why }) };
  } finally {
    await questions.close();
    await proxy.close();
  }
}

/** The log note on a command's end, and the reason if the run failed. `failure` is the agent's own report. */
function outcomeOf(end: CommandEnd, failure: string | undefined): { note: string; why?: Failure } {
  if (end.kind === "not_started") {
    return { note: `The sandbox could not be created: ${end.message}`, why: "sandbox_failed" };
  }
  if (end.kind === "ended") {
    const note = `The command was stopped: ${end.why.replaceAll("_", " ")}.`;
    return { note, why: end.why === "timed_out" ? "timed_out" : "command_failed" };
  }
  if (failure !== undefined) return { note: failure, why: "command_failed" };
  const note = `The command exited with code ${end.code}.`;
  return end.code === 0 ? { note } : { note, why: "command_failed" };
}

/** An agent's message to people, without secrets, cut to the server's limit. */
const shown = (text: string, secrets: readonly string[]): string =>
  [...redact(text, secrets).replaceAll("\0", "").toWellFormed()].slice(0, runSummaryLengthMax).join("");
