import { createHash, randomUUID } from "node:crypto";
import type { CiJob } from "./ci.ts";

/** The Idempotency-Key of a run, and whether another run of the same job would have the same. */
export type Key = { key: string; stays: boolean };

/**
 * A key that is the same whenever the same job of the same run asks for the same ticket. Outside of CI nothing says so:
 * the key is then for this process's own retries only.
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
  // Each attempt of a run tells anew whether the problem is there.
  if (problem !== "") parts.push(job.attempt);
  return { key: `lodge-${createHash("sha256").update(JSON.stringify(parts)).digest("hex")}`, stays: true };
}
