import { runLeaseSeconds } from "@lodge/contract/limits";
import { expireLeases } from "../board/agents/keep-runs.ts";
import type { Deps } from "../platform/deps.ts";

/** Has the leases of all runs end, as if their runners had not been heard of since. */
export async function loseRuns(deps: Deps, clock: { move: (ms: number) => void }): Promise<void> {
  clock.move((runLeaseSeconds + 1) * 1000);
  await expireLeases(deps);
}
