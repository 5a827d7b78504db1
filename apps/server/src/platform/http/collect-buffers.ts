import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const collectEveryBytes = 8 * 1_048_576;
const quietMs = 5_000;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as (options: { type: "minor" | "major"; execution: "sync" }) => void;

let bytesSince = 0;
let quiet: NodeJS.Timeout | undefined;

/**
 * Tells that bytes of a body were read. Each chunk is a buffer that V8 hardly sees: it would let 200 MB of them lie before
 * it collects, and for ever where no more come. So the young ones are collected every 8 MiB, which takes about a
 * millisecond, and all of them once there were none for five seconds.
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
