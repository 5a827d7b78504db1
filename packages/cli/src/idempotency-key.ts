import { createHash, randomUUID } from "node:crypto";
import type { CiJob } from "./ci.ts";

/** An idempotency key; `stays` if a re-run of the same job gets the same key. */
export type Key = { key: string; stays: boolean };

/**
 * An idempotency key that stays the same when a CI job is run again for the same ticket. Outside of CI it is random and
 * only covers the retries of this process.
 */
export function makeKey(
  job: CiJob | undefined,
  {
    key,
    keyPart = "",
    title,
    problem = "",
    resolved = false,
  }: {
    key?: string | undefined;
    keyPart?: string | undefined;
    title: string;
    problem?: string | undefined;
    resolved?: boolean | undefined;
  },
): Key {
  if (key !== undefined) return { key, stays: true };
  if (!job) return { key: `lodge-once-${randomUUID()}`, stays: false };
  const { host, repository, run, index } = job;
  const parts = [host, repository, run, job.job, index, title, problem, resolved, keyPart];
  // Each attempt of a run reports the problem's state again, so it needs its own key.
  if (problem !== "") parts.push(job.attempt);
  return { key: `lodge-${createHash("sha256").update(JSON.stringify(parts)).digest("hex")}`, stays: true };
}
