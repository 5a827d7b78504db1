import { readFileSync } from "node:fs";
import type { Environment } from "./credentials.ts";

/** The CI run and job that this process belongs to. All fields but `attempt` stay the same in a re-run. */
export type CiJob = {
  /** The service's usual name. */
  service: string;
  host: string;
  repository: string;
  run: string;
  job: string;
  /** The index of a parallel job; empty if the job is not parallel. */
  index: string;
  /** The attempt of the run or job; empty if the service does not expose it. */
  attempt: string;
  /** Whether it runs for a fork. Services give forks no secrets. */
  fork: boolean;
  /** Whether Dependabot started it. GitHub gives such runs only Dependabot's own secrets. */
  dependabot: boolean;
};

type Service = {
  service: string;
  isHere: (env: Environment) => boolean;
  read: (env: Environment) => { [Field in "host" | "repository" | "run" | "job" | "index"]: string | undefined };
  attempt?: (env: Environment) => string | undefined;
  isFork?: (env: Environment) => boolean;
};

const joined = (...parts: (string | undefined)[]) => parts.filter(Boolean).join("/");
const hostOf = (address: string | undefined) => (address && URL.canParse(address) ? new URL(address).host : undefined);

/**
 * How to recognise each service and read its variables. `read` must not use variables that a re-run changes, such as
 * attempts, job ids or CircleCI's workflow id. Woodpecker comes before Drone, because it also sets Drone's variables.
 */
const services: readonly Service[] = [
  {
    service: "GitHub Actions",
    isHere: (env) => env.GITHUB_ACTIONS === "true",
    // A re-run keeps GITHUB_RUN_ID. Matrix jobs share GITHUB_JOB: the title or --key-part distinguishes them.
    read: (env) => ({
      host: env.GITHUB_SERVER_URL,
      repository: env.GITHUB_REPOSITORY,
      run: env.GITHUB_RUN_ID,
      job: env.GITHUB_JOB,
      index: "",
    }),
    attempt: (env) => env.GITHUB_RUN_ATTEMPT,
    isFork: isForkOnGitHub,
  },
  {
    service: "GitLab CI",
    isHere: (env) => env.GITLAB_CI === "true",
    // CI_JOB_ID changes on a retry. CI_JOB_NAME contains the index or the matrix values.
    read: (env) => ({
      host: env.CI_SERVER_URL,
      repository: env.CI_PROJECT_PATH,
      run: env.CI_PIPELINE_ID,
      job: env.CI_JOB_NAME,
      index: env.CI_NODE_INDEX,
    }),
    attempt: (env) => env.CI_JOB_ID, // differs for each retry
    isFork: (env) =>
      env.CI_MERGE_REQUEST_PROJECT_PATH !== undefined &&
      env.CI_MERGE_REQUEST_SOURCE_PROJECT_PATH !== env.CI_MERGE_REQUEST_PROJECT_PATH,
  },
  {
    service: "Buildkite",
    isHere: (env) => env.BUILDKITE === "true",
    read: (env) => ({
      host: "buildkite.com",
      repository: joined(env.BUILDKITE_ORGANIZATION_SLUG, env.BUILDKITE_PIPELINE_SLUG),
      run: env.BUILDKITE_BUILD_ID,
      job: env.BUILDKITE_STEP_KEY || env.BUILDKITE_STEP_ID,
      index: env.BUILDKITE_PARALLEL_JOB,
    }),
    attempt: (env) => env.BUILDKITE_RETRY_COUNT,
    isFork: (env) =>
      (env.BUILDKITE_PULL_REQUEST ?? "false") !== "false" &&
      Boolean(env.BUILDKITE_PULL_REQUEST_REPO) &&
      repositoryOf(env.BUILDKITE_PULL_REQUEST_REPO) !== repositoryOf(env.BUILDKITE_REPO),
  },
  {
    service: "CircleCI",
    isHere: (env) => env.CIRCLECI === "true",
    // CIRCLE_WORKFLOW_ID changes on a re-run; CIRCLE_PIPELINE_ID does not. Old servers only have the commit.
    read: (env) => ({
      host: hostOf(env.CIRCLE_BUILD_URL),
      repository: joined(env.CIRCLE_PROJECT_USERNAME, env.CIRCLE_PROJECT_REPONAME),
      run: env.CIRCLE_PIPELINE_ID || env.CIRCLE_SHA1,
      job: env.CIRCLE_JOB,
      index: env.CIRCLE_NODE_INDEX,
    }),
    attempt: (env) => env.CIRCLE_WORKFLOW_ID,
    isFork: (env) => Boolean(env.CIRCLE_PR_USERNAME),
  },
  {
    service: "Azure Pipelines",
    isHere: (env) => env.TF_BUILD?.toLowerCase() === "true",
    read: (env) => ({
      host: env.SYSTEM_COLLECTIONURI,
      repository: joined(env.SYSTEM_TEAMPROJECT, env.BUILD_REPOSITORY_NAME, env.BUILD_DEFINITIONNAME),
      run: env.BUILD_BUILDID,
      job: joined(env.SYSTEM_STAGENAME, env.SYSTEM_JOBNAME),
      index: env.SYSTEM_JOBPOSITIONINPHASE,
    }),
    attempt: (env) => joined(env.SYSTEM_STAGEATTEMPT, env.SYSTEM_JOBATTEMPT),
    isFork: (env) => env.SYSTEM_PULLREQUEST_ISFORK?.toLowerCase() === "true",
  },
  {
    service: "Bitbucket Pipelines",
    isHere: (env) => env.BITBUCKET_BUILD_NUMBER !== undefined,
    // The environment has no name of the step: the titles distinguish the steps of a run.
    read: (env) => ({
      host: "bitbucket.org",
      repository: env.BITBUCKET_REPO_FULL_NAME,
      run: env.BITBUCKET_BUILD_NUMBER,
      job: "",
      index: env.BITBUCKET_PARALLEL_STEP,
    }),
    attempt: (env) => env.BITBUCKET_STEP_RUN_NUMBER,
  },
  {
    service: "Woodpecker CI",
    isHere: (env) => env.CI === "woodpecker",
    read: (env) => ({
      host: env.CI_SYSTEM_URL || env.CI_SYSTEM_HOST,
      repository: env.CI_REPO,
      run: env.CI_PIPELINE_NUMBER,
      job: joined(env.CI_WORKFLOW_NAME, env.CI_STEP_NAME),
      index: env.CI_WORKFLOW_NUMBER,
    }),
    isFork: (env) => env.CI_PIPELINE_EVENT === "pull_request",
  },
  {
    service: "Drone",
    isHere: (env) => env.DRONE === "true",
    read: (env) => ({
      host: env.DRONE_SYSTEM_HOST,
      repository: env.DRONE_REPO,
      run: env.DRONE_BUILD_NUMBER,
      job: joined(env.DRONE_STAGE_NAME, env.DRONE_STEP_NAME),
      index: "",
    }),
    isFork: (env) => env.DRONE_BUILD_EVENT === "pull_request",
  },
  {
    service: "TeamCity",
    isHere: (env) => env.TEAMCITY_VERSION !== undefined,
    read: (env) => ({
      host: hostOf(env.BUILD_URL) ?? "teamcity",
      repository: env.TEAMCITY_PROJECT_NAME,
      run: env.BUILD_NUMBER,
      job: env.TEAMCITY_BUILDCONF_NAME,
      index: "",
    }),
  },
  {
    service: "Travis CI",
    isHere: (env) => env.TRAVIS === "true",
    read: (env) => ({
      host: hostOf(env.TRAVIS_BUILD_WEB_URL) ?? "travis-ci",
      repository: env.TRAVIS_REPO_SLUG,
      run: env.TRAVIS_BUILD_ID,
      job: env.TRAVIS_JOB_NUMBER,
      index: "",
    }),
    isFork: (env) => (env.TRAVIS_PULL_REQUEST ?? "false") !== "false" && env.TRAVIS_SECURE_ENV_VARS === "false",
  },
  {
    service: "Jenkins",
    isHere: (env) => env.JENKINS_URL !== undefined && env.BUILD_NUMBER !== undefined,
    read: (env) => ({
      host: env.JENKINS_URL,
      repository: env.JOB_NAME,
      run: env.BUILD_NUMBER,
      job: env.STAGE_NAME,
      index: "",
    }),
    isFork: (env) => Boolean(env.CHANGE_FORK),
  },
];

/** The CI job that this process runs in; undefined if no service is recognised. */
export function detectJob(env: Environment): CiJob | undefined {
  const found = services.find(({ isHere }) => isHere(env));
  if (!found) return undefined;
  const { host = "", repository = "", run, job = "", index = "" } = found.read(env);
  if (!run) return undefined; // without it, all runs would share one key
  const attempt = found.attempt?.(env) ?? "";
  const dependabot = found.service === "GitHub Actions" && env.GITHUB_ACTOR === "dependabot[bot]";
  const fork = found.isFork?.(env) ?? false;
  return { service: found.service, host, repository, run, job, index, attempt, fork, dependabot };
}

/** On GitHub, only the event file says whether the pull request is from a fork. */
function isForkOnGitHub(env: Environment): boolean {
  try {
    const event = JSON.parse(readFileSync(env.GITHUB_EVENT_PATH ?? "", "utf8")) as {
      pull_request?: { head?: { repo?: { full_name?: string } | null } };
    };
    const head = event.pull_request?.head;
    return head !== undefined && head.repo?.full_name !== env.GITHUB_REPOSITORY;
  } catch {
    return false;
  }
}

/** The host/owner/name of a clone address, in HTTPS or SSH form. */
const repositoryOf = (address: string | undefined) =>
  address
    ?.replace(/^\w+:\/\//, "")
    .replace(/^[^@/]+@/, "")
    .replace(":", "/")
    .replace(/\.git$/, "")
    .toLowerCase();
