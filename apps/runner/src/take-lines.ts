import type { RunLog } from "./run-log.ts";

const lineLengthMax = 4 * 1_048_576;

/**
 * Splits written chunks into lines for `take`. Logs a line unchanged if it is above 4 MiB or `take` throws, since an
 * agent's output is untrusted.
 */
export function takeLines(log: Pick<RunLog, "write">, take: (line: string) => void) {
  const decoder = new TextDecoder();
  let rest = "";
  const takeOrShow = (line: string) => {
    try {
      take(line);
    } catch {
      if (line.trim() !== "") log.write(Buffer.from(`${line}\n`));
    }
  };
  return {
    write: (piece: Buffer) => {
      const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) takeOrShow(line);
      if (rest.length > lineLengthMax) {
        log.write(Buffer.from(rest));
        rest = "";
      }
    },
    end: () => takeOrShow(rest + decoder.decode()),
  };
}
