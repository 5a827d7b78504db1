import type { Run } from "@lodge/contract/dashboard/runs";

const heldFor: Record<string, string> = {
  no_credits: "The agent waits: the organisation has no credits left.",
  no_repository: "The agent waits: choose the repository that it is to work on.",
  untrusted_input: "The agent waits for an admin: the text came with a report, from somebody whom nobody knows.",
  token_budget: "The agent waits: the token that filed this card has started as many runs today as it may.",
  run_limit: "The agent waits for an admin: it has tried this card many times.",
};

const failedFor: Record<string, string> = {
  command_failed: "The agent has failed; its log says more.",
  timed_out: "The agent took too long, and was ended.",
  tree_refused: "What the agent has left cannot be taken; its log says why.",
  clone_failed: "The agent could not start: its runner could not clone the repository.",
  sandbox_failed: "The agent could not start: its runner could not make a sandbox.",
  runner_failed: "The agent's runner has failed.",
  runner_lost: "The agent could not finish: its runners fell silent three times.",
};

const words: Record<Run["state"], string> = {
  queued: "The agent will start on it soon, for one credit.",
  held: "The agent waits.",
  running: "The agent is at work.",
  awaiting_input: "The agent has a question. Answer it with a comment.",
  succeeded: "The agent is done.",
  no_change: "The agent is done, and has changed nothing.",
  failed: "The agent has failed.",
  cancelled: "The agent's run was cancelled.",
};

/** What is to be said of a run. */
export const runInWords = ({ state, reason }: Pick<Run, "state" | "reason">): string =>
  (state === "held" ? heldFor[reason ?? ""] : state === "failed" ? failedFor[reason ?? ""] : undefined) ?? words[state];

/** A state in a word or two, for a list. */
export const stateLabels: Record<Run["state"], string> = {
  queued: "Queued",
  held: "Held",
  running: "At work",
  awaiting_input: "Has a question",
  succeeded: "Done",
  no_change: "Nothing changed",
  failed: "Failed",
  cancelled: "Cancelled",
};

const openStates: readonly Run["state"][] = ["queued", "held", "running", "awaiting_input"];

/** Whether a run has not come to its end. */
export const isOpen = ({ state }: Pick<Run, "state">): boolean => openStates.includes(state);

/** Whether a held run waits for a person, not for what comes by itself. */
export const waitsForPerson = ({ state, reason }: Pick<Run, "state" | "reason">): boolean =>
  state === "held" && ["untrusted_input", "run_limit", "token_budget"].includes(reason ?? "");

const dollars = new Intl.NumberFormat(undefined, { style: "currency", currency: "USD", maximumFractionDigits: 4 });

/** What a run cost, as far as its agent has told; undefined where it has not. */
export function costInWords({ costMicroUsd, inputTokens, outputTokens }: Run): string | undefined {
  if (costMicroUsd !== null) return dollars.format(costMicroUsd / 1_000_000);
  if (inputTokens === null && outputTokens === null) return undefined;
  return `${((inputTokens ?? 0) + (outputTokens ?? 0)).toLocaleString()} tokens`;
}
