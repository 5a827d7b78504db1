import type { Environment } from "./credentials.ts";

type Context = {
  commit?: string | undefined;
  branch?: string | undefined;
  run?: string | undefined;
  /** The address of the run, on services where each re-run has a different address. */
  attempt?: string | undefined;
};

/** Reads the context of a run from each service's variables; prefers variables that a re-run does not change. */
const contexts: Record<string, (env: Environment) => Context> = {
  "GitHub Actions": (env) => ({
    commit: env.GITHUB_SHA,
    branch: env.GITHUB_HEAD_REF || env.GITHUB_REF_NAME,
    run: env.GITHUB_SERVER_URL && `${env.GITHUB_SERVER_URL}/${env.GITHUB_REPOSITORY}/actions/runs/${env.GITHUB_RUN_ID}`,
  }),
  "GitLab CI": (env) => ({
    commit: env.CI_COMMIT_SHA,
    branch: env.CI_COMMIT_REF_NAME,
    run: env.CI_PIPELINE_URL,
  }),
  Buildkite: (env) => ({
    commit: env.BUILDKITE_COMMIT,
    branch: env.BUILDKITE_BRANCH,
    run: env.BUILDKITE_BUILD_URL,
  }),
  CircleCI: (env) => ({ commit: env.CIRCLE_SHA1, branch: env.CIRCLE_BRANCH, attempt: env.CIRCLE_BUILD_URL }),
  "Azure Pipelines": (env) => ({
    commit: env.BUILD_SOURCEVERSION,
    branch: env.BUILD_SOURCEBRANCHNAME,
    run:
      env.SYSTEM_COLLECTIONURI &&
      `${env.SYSTEM_COLLECTIONURI}${env.SYSTEM_TEAMPROJECT}/_build/results?buildId=${env.BUILD_BUILDID}`,
  }),
  "Bitbucket Pipelines": (env) => ({
    commit: env.BITBUCKET_COMMIT,
    branch: env.BITBUCKET_BRANCH,
    run:
      env.BITBUCKET_REPO_FULL_NAME &&
      `https://bitbucket.org/${env.BITBUCKET_REPO_FULL_NAME}/pipelines/results/${env.BITBUCKET_BUILD_NUMBER}`,
  }),
  "Woodpecker CI": (env) => ({ commit: env.CI_COMMIT_SHA, branch: env.CI_COMMIT_BRANCH, run: env.CI_PIPELINE_URL }),
  Drone: (env) => ({ commit: env.DRONE_COMMIT_SHA, branch: env.DRONE_BRANCH, run: env.DRONE_BUILD_LINK }),
  TeamCity: (env) => ({ commit: env.BUILD_VCS_NUMBER, run: env.BUILD_URL }),
  "Travis CI": (env) => ({ commit: env.TRAVIS_COMMIT, branch: env.TRAVIS_BRANCH, run: env.TRAVIS_BUILD_WEB_URL }),
  Jenkins: (env) => ({ commit: env.GIT_COMMIT, branch: env.GIT_BRANCH, run: env.BUILD_URL }),
};

/**
 * The commit, branch and address of a CI run, one per line; empty if none is known. Values that differ between attempts
 * are left out unless `ofAttempt`: the ticket of a re-run would have different content, which its key does not allow.
 */
export function contextOf(service: string | undefined, env: Environment, ofAttempt: boolean): string {
  const { commit, branch, run, attempt } = contexts[service ?? ""]?.(env) ?? {};
  return Object.entries({ Commit: commit, Branch: branch, Run: run ?? (ofAttempt ? attempt : undefined) })
    .flatMap(([name, value]) => (value ? [`${name}: ${value}`] : []))
    .join("\n");
}
