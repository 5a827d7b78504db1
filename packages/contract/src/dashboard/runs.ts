import Type from "typebox";
import { creditsMax, nameLengthMax } from "../limits.ts";
import { noContent, pathId } from "../operation.ts";
import { logKinds, pullRequestStates, runStates } from "../runners.ts";
import { Name, NullableTimestamp, Text, Timestamp, Uuid, WholeNumber } from "../text.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API: the runs of the organisation's agent, and the credits that they cost. */

const closed = { additionalProperties: false } as const;
const NullableText = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const NullableCount = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });

/** A run: the agent at work on a ticket. */
export const Run = Type.Object(
  {
    id: Uuid("The run."),
    state: Type.Enum([...runStates], { description: "Where it is (contract section 11)." }),
    reason: NullableText(
      "What a held run waits for (untrusted_input, run_limit, token_budget, no_credits or no_repository), why one failed or was cancelled; null otherwise.",
    ),
    changedAt: Timestamp("Since when it has its state."),
    changedBy: NullableText("The name of the person who gave it that; null where none did."),
    runner: NullableText("The runner that took it last; null before one has."),
    repository: NullableText("The repository that it works on; null before it has started."),
    question: NullableText("What it asks, while it awaits input."),
    branch: NullableText("The branch that it pushed."),
    commit: NullableText("The commit on it."),
    pullRequestUrl: NullableText("The pull request that it opened."),
    pullRequestState: Type.Union([Type.Enum([...pullRequestStates]), Type.Null()], {
      description: "What became of that, as far as a runner has seen.",
    }),
    fixedIn: NullableText("The first release that has what was merged."),
    hasPatch: Type.Boolean({ description: "Whether what it changed is kept here, since it could not be pushed." }),
    summary: NullableText("What it says of itself."),
    logLength: Type.Integer({ description: "How many entries its log has." }),
    costMicroUsd: NullableCount("What the agent says that it cost, in millionths of a US dollar."),
    inputTokens: NullableCount("The tokens that it read."),
    outputTokens: NullableCount("The tokens that it wrote."),
    createdAt: Timestamp("When the agent was assigned."),
    startedAt: NullableTimestamp("When it was first taken."),
    endedAt: NullableTimestamp("When it came to its end."),
  },
  { description: "The agent at work on a ticket." },
);
export type Run = Type.Static<typeof Run>;

/** A run with its ticket. */
export const ListedRun = Type.Intersect(
  [
    Run,
    Type.Object({
      ticket: Type.Object({
        id: Uuid("The ticket."),
        title: Type.String({ description: "What its card says now." }),
        number: NullableText("What people call it, as WEB-214."),
      }),
    }),
  ],
  { description: "A run with its ticket." },
);
export type ListedRun = Type.Static<typeof ListedRun>;

/** Which runs. */
export const RunQuery = Type.Object(
  {
    state: Type.Optional(Type.Enum([...runStates], { description: "Only those in this state." })),
    ticket: Type.Optional(Uuid("Only those of this ticket.")),
    cursor: Type.Optional(Uuid("A `nextCursor` of an earlier answer.")),
  },
  closed,
);
export type RunQuery = Type.Static<typeof RunQuery>;

/** A page of runs. */
export const RunPage = Type.Object(
  {
    runs: Type.Array(ListedRun, { description: "The latest first, at most 50." }),
    nextCursor: NullableText("What to send as `cursor` for those before."),
  },
  { description: "Runs." },
);
export type RunPage = Type.Static<typeof RunPage>;

/** From where on to read a log. */
export const RunLogQuery = Type.Object(
  { after: Type.Optional(WholeNumber("The offset of the first entry that is wanted; default 0.")) },
  closed,
);
export type RunLogQuery = Type.Static<typeof RunLogQuery>;

/** A part of a run's log. */
export const RunLog = Type.Object(
  {
    entries: Type.Array(
      Type.Object({
        offset: Type.Integer({ description: "Its place in the log, from 0." }),
        kind: Type.Enum([...logKinds], {
          description:
            "Whether the runner tells of itself, or of what the agent said, ran, edited, wrote out or was refused.",
        }),
        text: Type.String({ description: "What was said or written." }),
        at: Timestamp("When."),
      }),
      { description: "In their order, at most 500." },
    ),
    next: Type.Integer({ description: "What to send as `after` for those that follow." }),
  },
  { description: "A part of a run's log." },
);
export type RunLog = Type.Static<typeof RunLog>;

/** An organisation's credits, and every change of them. */
export const Credits = Type.Object(
  {
    credits: Type.Integer({ description: "Runs that can still be started." }),
    entries: Type.Array(
      Type.Object({
        id: Uuid("The entry."),
        kind: Type.Enum(["set", "added", "reserved", "returned"], {
          description:
            "Set by who runs the server, added by an admin, reserved by a run that started, or returned by one that failed through no fault of the agent's or never began.",
        }),
        amount: Type.Integer({ description: "What it added; below 0 what it took." }),
        runId: Type.Union([Uuid("The run."), Type.Null()], {
          description: "With reserved and returned; it may be gone.",
        }),
        actor: NullableText("The name of who added them."),
        note: NullableText("What they are for."),
        createdAt: Timestamp("When."),
      }),
      { description: "The latest first, at most 50." },
    ),
    nextCursor: NullableText("What to send as `cursor` for those before."),
  },
  { description: "Credits with their history." },
);
export type Credits = Type.Static<typeof Credits>;

const CreditQuery = Type.Object({ cursor: Type.Optional(Uuid("A `nextCursor` of an earlier answer.")) }, closed);
/** From where on to read the history of credits. */
export type CreditQuery = Type.Static<typeof CreditQuery>;

/** Credits to add. */
export const AddCredits = Type.Object(
  {
    amount: Type.Integer({ minimum: 1, maximum: creditsMax, description: "How many." }),
    note: Type.Optional(Text({ maxLength: nameLengthMax, description: "What they are for." })),
  },
  { ...closed, description: "Credits to add." },
);
export type AddCredits = Type.Static<typeof AddCredits>;

/** A process that takes runs, without its secret. */
export const Runner = Type.Object(
  {
    id: Uuid("The runner."),
    name: Type.String({ description: "Its name, which runs show." }),
    createdAt: Timestamp("When it was made."),
    lastSeenAt: NullableTimestamp("When it last asked for something, to the minute; null for never."),
    runCount: Type.Integer({ description: "How many runs it has at the moment." }),
  },
  { description: "A process that takes runs." },
);
export type Runner = Type.Static<typeof Runner>;

/** The runners of an organisation. */
export const RunnerList = Type.Object(
  { runners: Type.Array(Runner, { description: "By name." }) },
  { description: "The runners of the organisation." },
);
export type RunnerList = Type.Static<typeof RunnerList>;

/** A runner to make. */
export const CreateRunner = Type.Object({ name: Name }, { ...closed, description: "A runner to make." });
export type CreateRunner = Type.Static<typeof CreateRunner>;

/** A runner, with its secret. */
export const NewRunner = Type.Object(
  { runner: Runner, secret: Type.String({ description: "What `--token-file` has in it. Shown this once." }) },
  { description: "A runner with its secret." },
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
  summary: "Show a run",
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
  summary: "Read a run's log",
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
  summary: "Download what a run changed",
  description: "Where it could be pushed there is none, which is answered as a run that does not exist.",
});

export const releaseRun = dashboard({
  id: "releaseRun",
  method: "POST",
  path: "/api/dashboard/runs/{runId}/release",
  role: "admin",
  params: runPath,
  answers: { 200: ListedRun },
  errors: ["run_not_found", "run_not_held"],
  summary: "Let a held run start",
  description:
    "Where it waits for a person: its ticket came with a report, has had many runs, or its token is over its budget.",
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
  description: "Its runner ends it within 10 seconds.",
});

export const getCredits = dashboard({
  id: "getCredits",
  method: "GET",
  path: "/api/dashboard/credits",
  role: "member",
  query: CreditQuery,
  answers: { 200: Credits },
  errors: [],
  summary: "Show the credits and their history",
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
  description: "Runs that wait for them go on by themselves.",
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
  summary: "Make a runner",
  description: "For `lodged agent-runner` (contract section 11).",
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
  description: "For good, from its very next request on. The runs that it has are given to another.",
});
