import Type from "typebox";
import {
  runLogEntriesMax,
  runLogTextLengthMax,
  runPatchLengthMax,
  runSummaryLengthMax,
  takeWaitSecondsMax,
} from "./limits.ts";
import { noContent, operation, pathId } from "./operation.ts";
import { Text, Timestamp, Uuid } from "./text.ts";

/** The states of a run (contract section 11); the last four are ends. */
export const runStates = [
  "queued",
  "held",
  "running",
  "awaiting_input",
  "succeeded",
  "no_change",
  "failed",
  "cancelled",
] as const;
export type RunState = (typeof runStates)[number];

/** What becomes of a run's pull request. */
export const pullRequestStates = ["open", "merged", "closed"] as const;

/** Why a run failed, and whether its credit is given back: where the agent has not had its chance. */
export const failures = {
  command_failed: { isRefunded: false },
  timed_out: { isRefunded: false },
  tree_refused: { isRefunded: false },
  clone_failed: { isRefunded: true },
  sandbox_failed: { isRefunded: true },
  runner_failed: { isRefunded: true },
  runner_lost: { isRefunded: true },
} as const satisfies Record<string, { isRefunded: boolean }>;
export type Failure = keyof typeof failures;

/** What an entry of a run's log tells of: the runner itself, or what the agent said, ran, edited, wrote out, or was refused. */
export const logKinds = ["note", "said", "ran", "edited", "output", "refused"] as const;
export type LogKind = (typeof logKinds)[number];

const closed = { additionalProperties: false } as const;

/** The credential of a runner: `ldgrun_…`, of `lodged apply`. */
const runnerToken = { kind: "runnerToken" } as const;

const Fence = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: "The number that the run was taken under. What comes with an earlier one is answered `lease_lost`.",
});
const LeaseSeconds = Type.Integer({ description: "For how long the run is the runner's from now on." });

/** A run that the runner has from now on, with all that it needs to know. */
export const TakenRun = Type.Object(
  {
    id: Uuid("The run."),
    fence: Fence,
    leaseSeconds: LeaseSeconds,
    logLength: Type.Integer({
      description: "The offset of the next entry of its log: an earlier runner's come before.",
    }),
    branch: Type.String({ description: "Where its commit goes." }),
    repository: Type.Object(
      {
        name: Type.String({ description: "Its name." }),
        url: Type.String({ description: "Where Git clones it from." }),
        credentialsEnv: Type.Union([Type.String(), Type.Null()], {
          description:
            "The name of the runner's environment variable that holds the token to push with; null for none.",
        }),
      },
      { description: "What it works on." },
    ),
    ticket: Type.Object(
      {
        id: Uuid("The ticket."),
        title: Type.String({ description: "What its card says." }),
        description: Type.String({ description: "The whole story, in plain text." }),
        url: Type.String({ description: "The address of its card." }),
        isUntrusted: Type.Boolean({
          description: "Whether title and description came with a report: from somebody whom nobody knows.",
        }),
        labels: Type.Array(Type.String(), { description: "What it is labelled with." }),
        comments: Type.Array(
          Type.Object({
            author: Type.String({ description: "The name, as it was then." }),
            text: Type.String({ description: "Plain text." }),
            createdAt: Timestamp("When it was written."),
          }),
          { description: "The latest 100, the oldest first." },
        ),
      },
      { description: "What it is about." },
    ),
  },
  { description: "A run that was taken." },
);
export type TakenRun = Type.Static<typeof TakenRun>;

const Take = Type.Object(
  {
    takeId: Uuid("Of this request: sent again while the lease holds, it is answered with the run that it took."),
    waitSeconds: Type.Optional(
      Type.Integer({ minimum: 0, maximum: takeWaitSecondsMax, description: "How long to wait for a run; default 0." }),
    ),
  },
  { ...closed, description: "A run to take." },
);

const LogEntry = Type.Object(
  {
    kind: Type.Enum([...logKinds], { description: "What it tells of." }),
    text: Text({ maxLength: runLogTextLengthMax, description: "What was said or written." }),
    at: Timestamp("When."),
  },
  { ...closed, description: "An entry of a run's log." },
);
export type LogEntry = Type.Static<typeof LogEntry>;

const count = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: 1e15, description }));

const Finish = Type.Object(
  {
    fence: Fence,
    outcome: Type.Enum(["succeeded", "no_change", "failed", "given_back"], {
      description: "What came of it. A run that is given back is queued again.",
    }),
    failure: Type.Optional(
      Type.Enum(Object.keys(failures) as Failure[], { description: "With failed, where it is required: why." }),
    ),
    summary: Type.Optional(Text({ maxLength: runSummaryLengthMax, description: "What to tell people of it." })),
    branch: Type.Optional(Text({ maxLength: 200, description: "The branch that was pushed." })),
    commit: Type.Optional(Type.String({ pattern: "^[0-9a-f]{40}([0-9a-f]{24})?$", description: "The commit on it." })),
    pullRequestUrl: Type.Optional(Text({ maxLength: 2000, description: "The pull request that was opened." })),
    patch: Type.Optional(
      Text({ maxLength: runPatchLengthMax, description: "What it changed, where it could not be pushed." }),
    ),
    costMicroUsd: count("What the agent says that it cost, in millionths of a US dollar."),
    inputTokens: count("The tokens that it read."),
    outputTokens: count("The tokens that it wrote."),
  },
  { ...closed, description: "What came of a run." },
);
export type Finish = Type.Static<typeof Finish>;

/** A pull request to look at. */
export const WatchedPullRequest = Type.Object(
  {
    runId: Uuid("The run that opened it."),
    url: Type.String({ description: "Its address." }),
    repositoryUrl: Type.String({ description: "Where Git clones its repository from." }),
    credentialsEnv: Type.Union([Type.String(), Type.Null()], {
      description: "The name of the runner's environment variable that holds the repository's token; null for none.",
    }),
  },
  { description: "A pull request to look at." },
);
export type WatchedPullRequest = Type.Static<typeof WatchedPullRequest>;

/** What a runner has seen of a pull request. */
export const SeenPullRequest = Type.Object(
  {
    state: Type.Enum([...pullRequestStates], { description: "What became of it." }),
    version: Type.Optional(
      Text({
        minLength: 1,
        maxLength: 200,
        description: "With merged: the first release that has it, once there is one.",
      }),
    ),
  },
  { ...closed, description: "What was seen of a pull request." },
);
export type SeenPullRequest = Type.Static<typeof SeenPullRequest>;

const runPath = pathId("runId", "lease_lost", "The run.");

export const takeRun = operation({
  id: "takeRun",
  method: "POST",
  path: "/api/v1/runner/take",
  door: "api",
  credential: runnerToken,
  body: Take,
  answers: {
    200: Type.Object(
      { run: Type.Union([TakenRun, Type.Null()], { description: "Null where none came in time." }) },
      { description: "A run, or none." },
    ),
  },
  errors: [],
  summary: "Take a run",
  description: "The oldest that waits. It is the runner's under a lease, which each heartbeat prolongs.",
});

export const heartbeatRun = operation({
  id: "heartbeatRun",
  method: "POST",
  path: "/api/v1/runner/runs/{runId}/heartbeat",
  door: "api",
  credential: runnerToken,
  params: runPath,
  body: Type.Object({ fence: Fence }, { ...closed, description: "A sign of life." }),
  answers: {
    200: Type.Object(
      {
        leaseSeconds: LeaseSeconds,
        answer: Type.Union(
          [
            Type.Object({
              id: Uuid("The comment."),
              author: Type.String({ description: "Who wrote it." }),
              text: Type.String({ description: "Plain text." }),
            }),
            Type.Null(),
          ],
          { description: "The first comment that a person has written since the run's last question." },
        ),
      },
      { description: "The lease, and what was answered." },
    ),
  },
  errors: ["lease_lost"],
  summary: "Keep a run",
});

export const appendRunLog = operation({
  id: "appendRunLog",
  method: "POST",
  path: "/api/v1/runner/runs/{runId}/log",
  door: "api",
  credential: runnerToken,
  params: runPath,
  body: Type.Object(
    {
      fence: Fence,
      offset: Type.Integer({ minimum: 0, maximum: 1_000_000, description: "The offset of the first of them." }),
      entries: Type.Array(LogEntry, { minItems: 1, maxItems: runLogEntriesMax, description: "In their order." }),
    },
    { ...closed, description: "Entries to append." },
  ),
  answers: {
    200: Type.Object(
      { length: Type.Integer({ description: "The offset of the next entry." }) },
      { description: "How long the log is now." },
    ),
  },
  errors: ["lease_lost", "log_gap", "too_many"],
  summary: "Append to a run's log",
  description: "Entries that it has already are left out, so that a request can be sent again.",
});

export const askForInput = operation({
  id: "askForInput",
  method: "POST",
  path: "/api/v1/runner/runs/{runId}/question",
  door: "api",
  credential: runnerToken,
  params: runPath,
  body: Type.Object(
    { fence: Fence, text: Text({ minLength: 1, maxLength: runSummaryLengthMax, description: "What to ask people." }) },
    { ...closed, description: "A question." },
  ),
  answers: noContent,
  errors: ["lease_lost"],
  summary: "Ask people something",
  description: "The run awaits input until somebody comments on the ticket; `heartbeatRun` answers with the comment.",
});

export const finishRun = operation({
  id: "finishRun",
  method: "POST",
  path: "/api/v1/runner/runs/{runId}/finish",
  door: "api",
  credential: runnerToken,
  params: runPath,
  body: Finish,
  answers: noContent,
  errors: ["lease_lost"],
  summary: "Say what came of a run",
  description: "Sent again by the runner that sent it, it is answered as it was, and changes nothing.",
});

export const watchPullRequests = operation({
  id: "watchPullRequests",
  method: "POST",
  path: "/api/v1/runner/pull-requests",
  door: "api",
  credential: runnerToken,
  body: Type.Object({}, { ...closed, description: "Nothing." }),
  answers: {
    200: Type.Object(
      { pullRequests: Type.Array(WatchedPullRequest, { description: "At most 20." }) },
      { description: "Pull requests to look at." },
    ),
  },
  errors: [],
  summary: "List the pull requests to look at",
  description:
    "Those that nobody was sent to look at within a minute: they were open, or merged and a reporter is to be told of the release.",
});

export const reportPullRequest = operation({
  id: "reportPullRequest",
  method: "POST",
  path: "/api/v1/runner/runs/{runId}/pull-request",
  door: "api",
  credential: runnerToken,
  params: pathId("runId", "run_not_found", "The run."),
  body: SeenPullRequest,
  answers: noContent,
  errors: ["run_not_found"],
  summary: "Say what became of a pull request",
  description:
    "The merge moves the card to the column that is done, else to the last. Where the app tells of fixes, the release is told to the reporter. Sent again, it changes nothing.",
});
