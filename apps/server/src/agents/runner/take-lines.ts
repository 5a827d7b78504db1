import type { RunLog } from "./run-log.ts";

const lineLengthMax = 4 * 1_048_576;

/** Gives what is written to it to `take`, line by line, however it is cut; a line above 4 MiB goes to the log as it is. */
export function takeLines(log: Pick<RunLog, "write">, take: (line: string) => void) {
  const decoder = new TextDecoder();
  let rest = "";
  return {
    write: (piece: Buffer) => {
      const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) take(line);
      if (rest.length > lineLengthMax) {
        log.write(Buffer.from(rest));
        rest = "";
      }
    },
    end: () => take(rest + decoder.decode()),
  };
}
