import { runLeaseSeconds } from "@lodge/contract/limits";
import { expireLeases } from "../board/agents/keep-runs.ts";
import type { Deps } from "../platform/deps.ts";

/** Expires the leases of all runs, as if their runners had stopped sending heartbeats. */
export async function loseRuns(deps: Deps, clock: { move: (ms: number) => void }): Promise<void> {
  clock.move((runLeaseSeconds + 1) * 1000);
  await expireLeases(deps);
}
