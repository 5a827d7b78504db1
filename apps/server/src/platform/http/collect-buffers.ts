import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const collectEveryBytes = 8 * 1_048_576;
const quietMs = 5_000;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as (options: { type: "minor" | "major"; execution: "sync" }) => void;

let bytesSince = 0;
let quiet: NodeJS.Timeout | undefined;

/**
 * Counts read bytes and triggers garbage collection. V8 hardly notices the memory of buffers: it would keep 200 MB of
 * them before it collects, and forever if no more arrive. This collects young ones every 8 MiB, in about a millisecond,
 * and all of them after five seconds without reads.
 */
export function countRead(byteLength: number): void {
  bytesSince += byteLength;
  if (bytesSince < collectEveryBytes) return;
  bytesSince = 0;
  collect({ type: "minor", execution: "sync" });
  if (quiet) quiet.refresh();
  else quiet = setTimeout(collectAll, quietMs).unref();
}

function collectAll() {
  quiet = undefined;
  collect({ type: "major", execution: "sync" });
}
