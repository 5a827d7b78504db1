import Type from "typebox";
import { creditsMax, nameLengthMax } from "../limits.ts";
import { noContent, pathId } from "../operation.ts";
import { logKinds, pullRequestStates, runStates } from "../runners.ts";
import { Name, NullableTimestamp, Text, Timestamp, Uuid, WholeNumber } from "../text.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API for the agent's runs and their credits. */

const closed = { additionalProperties: false } as const;
const NullableText = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const NullableCount = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });

/** A run of the agent on a ticket. */
export const Run = Type.Object(
  {
    id: Uuid("The run."),
    state: Type.Enum([...runStates], { description: "The state." }),
    reason: NullableText(
      "Why the run is held (untrusted_input, run_limit, token_budget, no_credits or no_repository), failed or was cancelled. Null otherwise.",
    ),
    changedAt: Timestamp("When the state last changed."),
    changedBy: NullableText("The name of the person who changed the state. Null if no person did."),
    runner: NullableText("The last runner of the run. Null before the first."),
    repository: NullableText("The repository of the run. Null before it starts."),
    question: NullableText("The question, while the run awaits input."),
    branch: NullableText("The branch that the run pushed."),
    commit: NullableText("The pushed commit."),
    pullRequestUrl: NullableText("The URL of the run's pull request."),
    pullRequestState: Type.Union([Type.Enum([...pullRequestStates]), Type.Null()], {
      description: "The state of the pull request, as last seen by a runner.",
    }),
    pullRequestError: NullableText("Why the forge refused the pull request, in its words."),
    isPullRequestWanted: Type.Boolean({
      description: "Whether a runner will retry opening the pull request, within about a minute.",
    }),
    fixedIn: NullableText("The first release with the merged change."),
    hasPatch: Type.Boolean({
      description: "Whether Lodge keeps the change as a patch, because it could not be pushed.",
    }),
    summary: NullableText("The agent's summary."),
    logLength: Type.Integer({ description: "The number of log entries." }),
    costMicroUsd: NullableCount("The cost reported by the agent, in millionths of a US dollar."),
    inputTokens: NullableCount("The number of input tokens."),
    outputTokens: NullableCount("The number of output tokens."),
    createdAt: Timestamp("When the agent was assigned."),
    startedAt: NullableTimestamp("When a runner first took the run."),
    endedAt: NullableTimestamp("When it ended."),
  },
  { description: "A run of the agent on a ticket." },
);
export type Run = Type.Static<typeof Run>;

/** A run with its ticket. */
export const ListedRun = Type.Intersect(
  [
    Run,
    Type.Object({
      ticket: Type.Object({
        id: Uuid("The ticket."),
        title: Type.String({ description: "The current title of the ticket." }),
        number: NullableText("The ticket's number, like WEB-214."),
      }),
    }),
  ],
  { description: "A run with its ticket." },
);
export type ListedRun = Type.Static<typeof ListedRun>;

/** A filter of runs. */
export const RunQuery = Type.Object(
  {
    state: Type.Optional(Type.Enum([...runStates], { description: "Only runs in this state." })),
    ticket: Type.Optional(Uuid("Only runs on this ticket.")),
    cursor: Type.Optional(Uuid("A `nextCursor` from an earlier response.")),
  },
  closed,
);
export type RunQuery = Type.Static<typeof RunQuery>;

/** A page of runs. */
export const RunPage = Type.Object(
  {
    runs: Type.Array(ListedRun, { description: "Latest first, at most 50." }),
    nextCursor: NullableText("The `cursor` for the next page. Null on the last page."),
  },
  { description: "Runs." },
);
export type RunPage = Type.Static<typeof RunPage>;

/** The start of a page of a log. */
export const RunLogQuery = Type.Object(
  { after: Type.Optional(WholeNumber("The offset of the first entry to return. Defaults to 0.")) },
  closed,
);
export type RunLogQuery = Type.Static<typeof RunLogQuery>;

/** A page of a run's log. */
export const RunLog = Type.Object(
  {
    entries: Type.Array(
      Type.Object({
        offset: Type.Integer({ description: "The offset in the log, from 0." }),
        kind: Type.Enum([...logKinds], {
          description:
            "The kind: a note of the runner, or something that the agent said, ran, edited, printed or was refused.",
        }),
        text: Type.String({ description: "The text of the entry." }),
        at: Timestamp("When the entry was written."),
      }),
      { description: "In order, at most 500." },
    ),
    next: Type.Integer({ description: "The `after` for the next page." }),
  },
  { description: "A page of a run's log." },
);
export type RunLog = Type.Static<typeof RunLog>;

/** An organisation's credits with their history. */
export const Credits = Type.Object(
  {
    credits: Type.Integer({ description: "The number of runs that can still be started." }),
    entries: Type.Array(
      Type.Object({
        id: Uuid("The entry."),
        kind: Type.Enum(["set", "added", "reserved", "returned"], {
          description:
            "The kind: set by the operator, added by an admin, reserved for a run, or returned by a run that did not start or failed through no fault of the agent.",
        }),
        amount: Type.Integer({ description: "The number of credits added, or taken if negative." }),
        runId: Type.Union([Uuid("The run."), Type.Null()], {
          description: "The run. Only with `reserved` and `returned`. It may have been deleted.",
        }),
        actor: NullableText("The name of the person who added the credits."),
        note: NullableText("The purpose."),
        createdAt: Timestamp("When the credits changed."),
      }),
      { description: "Latest first, at most 50." },
    ),
    nextCursor: NullableText("The `cursor` for the next page. Null on the last page."),
  },
  { description: "The credits with their history." },
);
export type Credits = Type.Static<typeof Credits>;

const CreditQuery = Type.Object({ cursor: Type.Optional(Uuid("A `nextCursor` from an earlier response.")) }, closed);
/** A page of the history of credits. */
export type CreditQuery = Type.Static<typeof CreditQuery>;

/** Credits to add. */
export const AddCredits = Type.Object(
  {
    amount: Type.Integer({ minimum: 1, maximum: creditsMax, description: "The number of credits." }),
    note: Type.Optional(Text({ maxLength: nameLengthMax, description: "The purpose." })),
  },
  { ...closed, description: "The credits to add." },
);
export type AddCredits = Type.Static<typeof AddCredits>;

/** A runner, without its secret. */
export const Runner = Type.Object(
  {
    id: Uuid("The runner."),
    name: Type.String({ description: "The name, shown on runs." }),
    createdAt: Timestamp("When it was created."),
    lastSeenAt: NullableTimestamp("When the runner last sent a request, to the minute. Null if never."),
    runCount: Type.Integer({ description: "The number of current runs." }),
  },
  { description: "A runner, a process that takes runs." },
);
export type Runner = Type.Static<typeof Runner>;

/** The runners of an organisation. */
export const RunnerList = Type.Object(
  { runners: Type.Array(Runner, { description: "Sorted by name." }) },
  { description: "The runners of the organisation." },
);
export type RunnerList = Type.Static<typeof RunnerList>;

/** A runner to create. */
export const CreateRunner = Type.Object({ name: Name }, { ...closed, description: "The runner to create." });
export type CreateRunner = Type.Static<typeof CreateRunner>;

/** A runner, with its secret. */
export const NewRunner = Type.Object(
  { runner: Runner, secret: Type.String({ description: "The content for `--token-file`. Returned only once." }) },
  { description: "The runner with its secret." },
);
export type NewRunner = Type.Static<typeof NewRunner>;

const runPath = pathId("runId", "run_not_found", "The run.");

export const listRuns = dashboard({
  id: "listRuns",
  method: "GET",
  path: "/api/dashboard/runs",
  role: "member",
  query: RunQuery,
  answers: { 200: RunPage },
  errors: [],
  summary: "List the agent's runs",
  staleAfter: ["run.changed", "board.changed"],
});

export const getRun = dashboard({
  id: "getRun",
  method: "GET",
  path: "/api/dashboard/runs/{runId}",
  role: "member",
  params: runPath,
  answers: { 200: ListedRun },
  errors: ["run_not_found"],
  summary: "Get a run",
  staleAfter: ["run.changed", "board.changed"],
});

export const readRunLog = dashboard({
  id: "readRunLog",
  method: "GET",
  path: "/api/dashboard/runs/{runId}/log",
  role: "member",
  params: runPath,
  query: RunLogQuery,
  answers: { 200: RunLog },
  errors: ["run_not_found"],
  summary: "List the entries of a run's log",
  staleAfter: ["run.logged", "board.changed"],
});

export const readRunPatch = dashboard({
  id: "readRunPatch",
  method: "GET",
  path: "/api/dashboard/runs/{runId}/patch",
  role: "member",
  params: runPath,
  answers: { 200: { media: "text/x-diff", description: "The patch, as a download." } },
  errors: ["run_not_found"],
  summary: "Download the patch of a run",
  description: "If the run pushed its change, there is no patch and the request fails with `run_not_found`.",
});

export const releaseRun = dashboard({
  id: "releaseRun",
  method: "POST",
  path: "/api/dashboard/runs/{runId}/release",
  role: "admin",
  params: runPath,
  answers: { 200: ListedRun },
  errors: ["run_not_found", "run_not_held"],
  summary: "Start a held run",
  description:
    "Only works if the run waits for an admin, because its ticket came from a report or had many runs, or the API token that assigned the agent reached its daily limit of runs.",
});

export const cancelRun = dashboard({
  id: "cancelRun",
  method: "POST",
  path: "/api/dashboard/runs/{runId}/cancel",
  role: "member",
  params: runPath,
  answers: { 200: ListedRun },
  errors: ["run_not_found", "run_ended"],
  summary: "Cancel a run",
  description: "The runner stops the run within 10 seconds.",
});

export const retryPullRequest = dashboard({
  id: "retryPullRequest",
  method: "POST",
  path: "/api/dashboard/runs/{runId}/pull-request",
  role: "member",
  params: runPath,
  answers: { 200: ListedRun },
  errors: ["run_not_found", "pull_request_not_refused"],
  summary: "Retry opening a pull request",
  description: "Only works if the forge refused the pull request of the run. A runner retries within about a minute.",
});

export const getCredits = dashboard({
  id: "getCredits",
  method: "GET",
  path: "/api/dashboard/credits",
  role: "member",
  query: CreditQuery,
  answers: { 200: Credits },
  errors: [],
  summary: "Get the credits and their history",
  staleAfter: ["run.changed", "credits.changed"],
});

export const addCredits = dashboard({
  id: "addCredits",
  method: "POST",
  path: "/api/dashboard/credits",
  role: "admin",
  body: AddCredits,
  answers: noContent,
  errors: ["too_many"],
  summary: "Add credits",
  description: "Runs that wait for credits continue automatically.",
});

const runnerPath = pathId("runnerId", "runner_not_found", "The runner.");

export const listRunners = dashboard({
  id: "listRunners",
  method: "GET",
  path: "/api/dashboard/runners",
  role: "member",
  answers: { 200: RunnerList },
  errors: [],
  summary: "List the runners",
  staleAfter: ["runners.changed", "run.changed"],
});

export const createRunner = dashboard({
  id: "createRunner",
  method: "POST",
  path: "/api/dashboard/runners",
  role: "admin",
  body: CreateRunner,
  answers: { 201: NewRunner },
  errors: ["runner_name_taken", "too_many"],
  summary: "Create a runner",
  description: "Creates the token for `lodged agent-runner`.",
});

export const revokeRunner = dashboard({
  id: "revokeRunner",
  method: "DELETE",
  path: "/api/dashboard/runners/{runnerId}",
  role: "admin",
  params: runnerPath,
  answers: noContent,
  errors: ["runner_not_found"],
  summary: "Revoke a runner",
  description: "The runner's token stops working immediately and permanently. Other runners take over its runs.",
});
