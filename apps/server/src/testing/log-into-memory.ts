import { createLog } from "../platform/observe/log.ts";

/** A log like the service's, kept in memory. */
export function logIntoMemory() {
  let written = "";
  const log = createLog("trace", {
    write: (line) => {
      written += line;
    },
  });
  const lines = () =>
    written
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { log, lines, written: () => written };
}
