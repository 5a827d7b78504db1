import { createLog } from "../platform/observe/log.ts";

/** A log as the service writes it, kept for reading. */
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
