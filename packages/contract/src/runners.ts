import Type from "typebox";
import {
  pullRequestErrorLengthMax,
  runLogEntriesMax,
  runLogTextLengthMax,
  runPatchLengthMax,
  runSummaryLengthMax,
  takeWaitSecondsMax,
} from "./limits.ts";
import { noContent, operation, pathId } from "./operation.ts";
import { Text, Timestamp, Uuid, WebAddress } from "./text.ts";

/** The states of a run (contract section 11); the last four are final. */
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

/** The states of a run's pull request. */
export const pullRequestStates = ["open", "merged", "closed"] as const;

/** The reasons for a failed run, and whether its credit is returned because the agent never got to work. */
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

/** The kinds of log entries: a note of the runner, or something that the agent said, ran, edited, printed or was refused. */
export const logKinds = ["note", "said", "ran", "edited", "output", "refused"] as const;
export type LogKind = (typeof logKinds)[number];

const closed = { additionalProperties: false } as const;

/** The credential of a runner: `ldgrun_…`. */
const runnerToken = { kind: "runnerToken" } as const;

const Fence = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: "The fencing token that `takeRun` returned. Requests with an older one fail with `lease_lost`.",
});
const TicketNumber = Type.Union([Type.String(), Type.Null()], {
  description: "The ticket's number, like WEB-214. Null for at most 5 seconds after the ticket was filed.",
});
const LeaseSeconds = Type.Integer({ description: "The duration of the lease from now, in seconds." });

/** A run that the runner has taken, with all the data that it needs. */
export const TakenRun = Type.Object(
  {
    id: Uuid("The run."),
    fence: Fence,
    leaseSeconds: LeaseSeconds,
    logLength: Type.Integer({
      description: "The offset of the next log entry, after those of earlier runners.",
    }),
    branch: Type.String({ description: "The branch to push to." }),
    repository: Type.Object(
      {
        name: Type.String({ description: "The name." }),
        url: Type.String({ description: "The URL that Git clones from." }),
        credentialsEnv: Type.Union([Type.String(), Type.Null()], {
          description: "The runner's environment variable with the token for pushing. Null if there is none.",
        }),
      },
      { description: "The repository to work on." },
    ),
    ticket: Type.Object(
      {
        id: Uuid("The ticket."),
        title: Type.String({ description: "The title." }),
        description: Type.String({ description: "The description, in Markdown." }),
        url: Type.String({ description: "The URL of the ticket in the dashboard." }),
        isUntrusted: Type.Boolean({
          description: "Whether the title and description came from a report, and so from an unknown person.",
        }),
        labels: Type.Array(Type.String(), { description: "The labels." }),
        comments: Type.Array(
          Type.Object({
            author: Type.String({ description: "The author's name at the time." }),
            text: Type.String({ description: "The comment, in Markdown." }),
            createdAt: Timestamp("When the comment was written."),
          }),
          { description: "The latest 100, oldest first." },
        ),
      },
      { description: "The ticket of the run." },
    ),
  },
  { description: "The taken run." },
);
export type TakenRun = Type.Static<typeof TakenRun>;

const Take = Type.Object(
  {
    takeId: Uuid("An id for the request. Until the lease expires, a retry with the same id gets the same run."),
    waitSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: takeWaitSecondsMax,
        description: "The number of seconds to wait for a run. Defaults to 0.",
      }),
    ),
  },
  { ...closed, description: "The request for a run." },
);

const LogEntry = Type.Object(
  {
    kind: Type.Enum([...logKinds], { description: "The kind of the entry." }),
    text: Text({ maxLength: runLogTextLengthMax, description: "The text of the entry." }),
    at: Timestamp("When the entry was written."),
  },
  { ...closed, description: "An entry of a run's log." },
);
export type LogEntry = Type.Static<typeof LogEntry>;

const count = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: 1e15, description }));

const PullRequestError = Text({
  minLength: 1,
  maxLength: pullRequestErrorLengthMax,
  description: "Why the pull request could not be opened, in the words of the forge.",
});

const Finish = Type.Object(
  {
    fence: Fence,
    outcome: Type.Enum(["succeeded", "no_change", "failed", "given_back"], {
      description: "The outcome. A run that is given back is queued again.",
    }),
    failure: Type.Optional(
      Type.Enum(Object.keys(failures) as Failure[], { description: "The reason. Required with `failed`." }),
    ),
    summary: Type.Optional(Text({ maxLength: runSummaryLengthMax, description: "The summary, for people to read." })),
    branch: Type.Optional(Text({ maxLength: 200, description: "The pushed branch." })),
    commit: Type.Optional(Type.String({ pattern: "^[0-9a-f]{40}([0-9a-f]{24})?$", description: "The pushed commit." })),
    pullRequestUrl: Type.Optional(WebAddress("The URL of the pull request.")),
    pullRequestError: Type.Optional(PullRequestError),
    patch: Type.Optional(
      Text({ maxLength: runPatchLengthMax, description: "The change as a patch, if it could not be pushed." }),
    ),
    costMicroUsd: count("The cost reported by the agent, in millionths of a US dollar."),
    inputTokens: count("The number of input tokens."),
    outputTokens: count("The number of output tokens."),
  },
  { ...closed, description: "The result of the run." },
);
export type Finish = Type.Static<typeof Finish>;

/** A pull request to check. */
export const WatchedPullRequest = Type.Object(
  {
    runId: Uuid("The run of the pull request."),
    url: Type.String({ description: "The URL of the pull request." }),
    repositoryUrl: Type.String({ description: "The URL that Git clones its repository from." }),
    credentialsEnv: Type.Union([Type.String(), Type.Null()], {
      description: "The runner's environment variable with the repository's access token. Null if there is none.",
    }),
  },
  { description: "A pull request to check." },
);
export type WatchedPullRequest = Type.Static<typeof WatchedPullRequest>;

/** The state of a pull request, as seen by a runner. */
export const SeenPullRequest = Type.Object(
  {
    state: Type.Enum([...pullRequestStates], { description: "The state of the pull request." }),
    version: Type.Optional(
      Text({
        minLength: 1,
        maxLength: 200,
        description: "The first release with the change, once there is one. Only with `merged`.",
      }),
    ),
  },
  { ...closed, description: "The observed state of the pull request." },
);
export type SeenPullRequest = Type.Static<typeof SeenPullRequest>;

/** A pull request that a person wants opened, after the forge refused it. */
export const WantedPullRequest = Type.Object(
  {
    runId: Uuid("The run that pushed the branch."),
    repositoryUrl: Type.String({ description: "The URL that Git clones its repository from." }),
    credentialsEnv: Type.Union([Type.String(), Type.Null()], {
      description: "The runner's environment variable with the repository's access token. Null if there is none.",
    }),
    branch: Type.String({ description: "The pushed branch." }),
    summary: Type.Union([Type.String(), Type.Null()], { description: "The agent's summary." }),
    ticket: Type.Object(
      {
        title: Type.String({ description: "The title." }),
        url: Type.String({ description: "The URL of the ticket in the dashboard." }),
        number: TicketNumber,
      },
      { description: "The ticket of the run." },
    ),
  },
  { description: "A pull request to open." },
);
export type WantedPullRequest = Type.Static<typeof WantedPullRequest>;

/** The result of an attempt to open a pull request. */
export const OpenedPullRequest = Type.Union(
  [
    Type.Object({ pullRequestUrl: WebAddress("The URL of the pull request.") }, closed),
    Type.Object({ pullRequestError: PullRequestError }, closed),
  ],
  { description: "The URL of the pull request, or the reason it could not be opened." },
);
export type OpenedPullRequest = Type.Static<typeof OpenedPullRequest>;

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
      {
        run: Type.Union([TakenRun, Type.Null()], {
          description: "The run. Null if no run was waiting within `waitSeconds`.",
        }),
      },
      { description: "The taken run, if any." },
    ),
  },
  errors: [],
  summary: "Take a run",
  description: "Takes the oldest waiting run. The runner holds it under a lease, which each heartbeat renews.",
});

export const heartbeatRun = operation({
  id: "heartbeatRun",
  method: "POST",
  path: "/api/v1/runner/runs/{runId}/heartbeat",
  door: "api",
  credential: runnerToken,
  params: runPath,
  body: Type.Object({ fence: Fence }, { ...closed, description: "The heartbeat." }),
  answers: {
    200: Type.Object(
      {
        leaseSeconds: LeaseSeconds,
        answer: Type.Union(
          [
            Type.Object({
              id: Uuid("The comment."),
              author: Type.String({ description: "The author." }),
              text: Type.String({ description: "The comment, in Markdown." }),
            }),
            Type.Null(),
          ],
          { description: "The first comment by a person since the run's last question." },
        ),
        ticketNumber: TicketNumber,
      },
      { description: "The renewed lease, and the answer to the run's question." },
    ),
  },
  errors: ["lease_lost"],
  summary: "Renew the lease of a run",
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
      offset: Type.Integer({ minimum: 0, maximum: 1_000_000, description: "The offset of the first entry." }),
      entries: Type.Array(LogEntry, { minItems: 1, maxItems: runLogEntriesMax, description: "Oldest first." }),
    },
    { ...closed, description: "The entries to append." },
  ),
  answers: {
    200: Type.Object(
      { length: Type.Integer({ description: "The offset of the next entry." }) },
      { description: "The new length of the log." },
    ),
  },
  errors: ["lease_lost", "log_gap", "too_many"],
  summary: "Append to a run's log",
  description: "Entries that the log already has are skipped, so retries are safe.",
});

export const askForInput = operation({
  id: "askForInput",
  method: "POST",
  path: "/api/v1/runner/runs/{runId}/question",
  door: "api",
  credential: runnerToken,
  params: runPath,
  body: Type.Object(
    { fence: Fence, text: Text({ minLength: 1, maxLength: runSummaryLengthMax, description: "The question." }) },
    { ...closed, description: "The question." },
  ),
  answers: noContent,
  errors: ["lease_lost"],
  summary: "Ask people a question",
  description: "The run awaits input until a person comments on the ticket. `heartbeatRun` returns the comment.",
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
  summary: "Finish a run",
  description: "The same runner can safely retry the request: it gets the same response.",
});

export const watchPullRequests = operation({
  id: "watchPullRequests",
  method: "POST",
  path: "/api/v1/runner/pull-requests",
  door: "api",
  credential: runnerToken,
  body: Type.Object({}, { ...closed, description: "An empty object." }),
  answers: {
    200: Type.Object(
      {
        pullRequests: Type.Array(WatchedPullRequest, { description: "At most 20." }),
        wanted: Type.Array(WantedPullRequest, { description: "Pull requests to open. At most 20." }),
      },
      { description: "The pull requests to check and to open." },
    ),
  },
  errors: [],
  summary: "List the pull requests to check and to open",
  description:
    "Returns the pull requests to check (open, or merged while a reporter waits for the release) and the pull requests to open. Leaves out pull requests that another runner got within the last minute.",
});

export const reportOpening = operation({
  id: "reportOpening",
  method: "POST",
  path: "/api/v1/runner/runs/{runId}/opening",
  door: "api",
  credential: runnerToken,
  params: pathId("runId", "run_not_found", "The run."),
  body: OpenedPullRequest,
  answers: noContent,
  errors: ["run_not_found"],
  summary: "Report whether a pull request was opened",
  description: "For the `wanted` pull requests of `watchPullRequests`. Retries are safe.",
});

export const listRunnerRepositories = operation({
  id: "listRunnerRepositories",
  method: "GET",
  path: "/api/v1/runner/repositories",
  door: "api",
  credential: runnerToken,
  answers: {
    200: Type.Object(
      {
        repositories: Type.Array(
          Type.Object({
            name: Type.String({ description: "The name." }),
            url: Type.String({ description: "The URL that Git clones from." }),
            credentialsEnv: Type.Union([Type.String(), Type.Null()], {
              description:
                "The runner's environment variable with the repository's access token. Null if there is none.",
            }),
          }),
          { description: "Sorted by name, at most 100." },
        ),
      },
      { description: "The repositories of the organisation." },
    ),
  },
  errors: [],
  summary: "List the repositories of the organisation",
  description: "The runner calls this at startup to check its configuration.",
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
  summary: "Report the state of a pull request",
  description:
    "When the pull request is merged, the ticket moves to the done column, or to the last column if there is no done column. If the app announces fixes, the reporter gets a reply with the release. Retries are safe.",
});
