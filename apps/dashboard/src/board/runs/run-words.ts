import type { Run } from "@lodge/contract/dashboard/runs";

const heldFor: Record<string, string> = {
  no_credits: "The agent is waiting: the organisation has no credits left.",
  no_repository: "The agent is waiting: choose a repository for it to work on.",
  untrusted_input: "The agent is waiting for an admin: this card contains text from a report by an unknown sender.",
  token_budget: "The agent is waiting: the token that filed this card has reached its daily limit of runs.",
  run_limit: "The agent is waiting for an admin: it has tried this card many times.",
};

const failedFor: Record<string, string> = {
  command_failed: "The agent failed. See the log.",
  timed_out: "The agent took too long and was stopped.",
  tree_refused: "The agent's result could not be used. See the log.",
  clone_failed: "The agent could not start: its runner could not clone the repository.",
  sandbox_failed: "The agent could not start: its runner could not create a sandbox.",
  runner_failed: "The agent's runner failed.",
  runner_lost: "The agent could not finish: Lodge lost contact with its runners three times.",
};

const words: Record<Run["state"], string> = {
  queued: "The agent will start soon. The run uses one credit.",
  held: "The agent is waiting.",
  running: "The agent is working.",
  awaiting_input: "The agent has a question. Answer it with a comment.",
  succeeded: "The agent is done.",
  no_change: "The agent is done and changed nothing.",
  failed: "The agent failed.",
  cancelled: "The agent's run was cancelled.",
};

/** The state of a run as a sentence. */
export const runInWords = ({ state, reason }: Pick<Run, "state" | "reason">): string =>
  (state === "held" ? heldFor[reason ?? ""] : state === "failed" ? failedFor[reason ?? ""] : undefined) ?? words[state];

/** The short name of a state, for lists. */
export const stateLabels: Record<Run["state"], string> = {
  queued: "Queued",
  held: "Held",
  running: "Working",
  awaiting_input: "Has a question",
  succeeded: "Done",
  no_change: "Nothing changed",
  failed: "Failed",
  cancelled: "Cancelled",
};

const openStates: readonly Run["state"][] = ["queued", "held", "running", "awaiting_input"];

/** Whether a run has not ended. */
export const isOpen = ({ state }: Pick<Run, "state">): boolean => openStates.includes(state);

/** Whether a held run waits for an admin, rather than for credits or a repository. */
export const waitsForPerson = ({ state, reason }: Pick<Run, "state" | "reason">): boolean =>
  state === "held" && ["untrusted_input", "run_limit", "token_budget"].includes(reason ?? "");

const dollars = new Intl.NumberFormat(undefined, { style: "currency", currency: "USD", maximumFractionDigits: 4 });

/** The cost of a run, as reported by its agent; undefined if it reported none. */
export function costInWords({ costMicroUsd, inputTokens, outputTokens }: Run): string | undefined {
  if (costMicroUsd !== null) return dollars.format(costMicroUsd / 1_000_000);
  if (inputTokens === null && outputTokens === null) return undefined;
  return `${((inputTokens ?? 0) + (outputTokens ?? 0)).toLocaleString()} tokens`;
}
