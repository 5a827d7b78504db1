import assert from "node:assert/strict";
import { test } from "node:test";
import { detectJob } from "../src/ci.ts";
import { contextOf } from "../src/ci-context.ts";
import type { Environment } from "../src/credentials.ts";
import { makeKey } from "../src/idempotency-key.ts";
import { ciEnvironments } from "./ci-environments.ts";

const keyIn = (
  env: Environment,
  title = "Build is red",
  more: { keyPart?: string; problem?: string; resolved?: boolean } = {},
) => makeKey(detectJob(env), { title, ...more }).key;

test("Dependabot's runs are not forks, and each attempt of a run has its own key for a problem", () => {
  const env = ciEnvironments["GitHub Actions"]?.env ?? {};
  const job = detectJob({ ...env, GITHUB_ACTOR: "dependabot[bot]" });
  assert.deepEqual([job?.fork, job?.dependabot], [false, true]);
  const keyIn = (attempt: string, resolved: boolean) =>
    makeKey(detectJob({ ...env, GITHUB_RUN_ATTEMPT: attempt }), { title: "t", problem: "p", resolved }).key;
  assert.equal(
    new Set([keyIn("1", false), keyIn("2", true), keyIn("3", false)]).size,
    3,
    "each attempt has its own key",
  );
  assert.equal(keyIn("1", false), keyIn("1", false));
});

for (const [service, { env, again, next, leg, fork }] of Object.entries(ciEnvironments)) {
  test(`${service}: a re-run keeps the key; another run, matrix job, title or --key-part changes it`, () => {
    assert.equal(detectJob(env)?.service, service);
    const key = keyIn(env);
    assert.match(key, /^lodge-[0-9a-f]{64}$/);
    assert.equal(keyIn({ ...env, ...again }), key, "a re-run keeps the key");
    const context = (of: Environment) => contextOf(service, of, false);
    assert.equal(context({ ...env, ...again }), context(env), "a re-run has the same context");
    const others = [
      keyIn({ ...env, ...next }),
      keyIn(env, "Lint is red"),
      keyIn(env, "Build is red", { keyPart: "node-20" }),
      keyIn(env, "Build is red", { problem: "build" }),
      keyIn(env, "Build is red", { problem: "build", resolved: true }),
      ...(leg ? [keyIn({ ...env, ...leg })] : []),
    ];
    assert.equal(new Set([key, ...others]).size, others.length + 1);
    assert.equal(detectJob(env)?.fork, false);
    if (fork) assert.equal(detectJob({ ...env, ...fork })?.fork, true);
  });
}

test("jobs of different services, hosts or repositories never share a key", () => {
  const keys = Object.values(ciEnvironments).map(({ env }) => keyIn(env));
  const github = ciEnvironments["GitHub Actions"]?.env;
  keys.push(keyIn({ ...github, GITHUB_SERVER_URL: "https://git.example.test" }));
  keys.push(keyIn({ ...github, GITHUB_REPOSITORY: "acme/mobile" }));
  assert.equal(new Set(keys).size, keys.length);
});

test("outside of CI each run has a random key", () => {
  assert.equal(detectJob({ CI: "true", HOME: "/root" }), undefined);
  const [one, two] = [makeKey(undefined, { title: "t" }), makeKey(undefined, { title: "t" })];
  assert.notEqual(one.key, two.key);
  assert.deepEqual([one.stays, two.stays], [false, false]);
  assert.equal(detectJob({ GITHUB_ACTIONS: "true" }), undefined, "without an id, all runs would share a key");
});
