import type { Problem, ProblemQuery } from "@lodge/contract/apiproblems";
import { listProblems, readProblem, updateProblem } from "@lodge/contract/calls.generated";
import type { Environment } from "./credentials.ts";
import { factsOf, tableOf } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { asking } from "./ticket-commands.ts";

/** The options of `lodge problem list`. */
export type ProblemOptions = {
  app?: string;
  state?: ProblemQuery["state"];
  search?: string;
  environment?: string;
  appVersion?: string;
  sort?: ProblemQuery["sort"];
  limit?: string;
  cursor?: string;
  json?: boolean;
};

/** Prints the problems of the organisation's apps. */
export const listProblemsCommand = (options: ProblemOptions, env: Environment, terminal: Terminal) =>
  asking(env, terminal, async (call) => {
    const { app, state, search: q, environment, appVersion: version, sort, limit, cursor } = options;
    const asked = Object.entries({ app, state, q, environment, version, sort, limit, cursor });
    const query = Object.fromEntries(asked.filter(([, value]) => value !== undefined)) as ProblemQuery;
    const page = await call(listProblems, { query });
    if (options.json) return terminal.print(JSON.stringify(page, null, 2));
    if (page.problems.length === 0) return terminal.say("No problems found.");
    const rows = page.problems.map((problem) => [
      problem.id,
      problem.app,
      problem.state,
      `${problem.events}`,
      `${problem.users}`,
      problem.lastSeenAt,
      problem.title,
    ]);
    terminal.print(tableOf(["PROBLEM", "APP", "STATE", "EVENTS", "USERS", "LAST SEEN", "TITLE"], rows));
    if (page.next) terminal.say(`For the next page, add --cursor ${page.next}`);
  });

/** Prints a problem. */
export const showProblemCommand = (id: string, options: { json?: boolean }, env: Environment, terminal: Terminal) =>
  asking(env, terminal, async (call) => {
    print(await call(readProblem, { params: { problemId: id } }), options, terminal);
  });

/** Resolves a problem, and prints it. */
export const resolveProblemCommand = (
  id: string,
  options: { in?: string; json?: boolean },
  env: Environment,
  terminal: Terminal,
) =>
  asking(env, terminal, async (call) => {
    const body = { state: "resolved" as const, ...(options.in !== undefined && { version: options.in }) };
    print(await call(updateProblem, { params: { problemId: id }, body }), options, terminal);
  });

function print(problem: Problem, { json }: { json?: boolean }, terminal: Terminal) {
  if (json) return terminal.print(JSON.stringify(problem, null, 2));
  terminal.print(
    factsOf({
      Problem: problem.id,
      Title: problem.title,
      App: problem.app,
      State: problem.state,
      Culprit: problem.culprit,
      Events: problem.events,
      Users: problem.users,
      "First seen": problem.firstSeenAt,
      "Last seen": problem.lastSeenAt,
      "First version": problem.versions.first,
      "Last version": problem.versions.last,
      Ticket: problem.ticket && (problem.ticket.number ?? problem.ticket.id),
      Address: problem.url,
    }),
  );
}
