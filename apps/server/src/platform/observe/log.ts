import type { FastifyBaseLogger } from "fastify";
import { type DestinationStream, pino } from "pino";

/** The levels of LODGE_LOG_LEVEL. */
export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

// A write for each line was a tenth of what a server does under load. Lines wait for company, at most so long and so much;
// what matters at once is written at once, with what waits before it.
const warnLevel = 40;
const flushMs = 100;
const flushBytes = 8_192;
/** Should whoever reads the log stop reading, this much is kept for them, and what comes then is lost. */
const waitingBytesMax = 4_194_304;

/** Standard output, written in batches: what is a warning or worse, or is on its way when the process ends, at once. */
function standardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: false, minLength: flushBytes, maxLength: waitingBytesMax });
  setInterval(() => output.flush(), flushMs).unref();
  const flush = () => {
    try {
      output.flushSync();
    } catch {} // it is not open yet, or no longer
  };
  process.on("exit", flush);
  const destination = {
    [Symbol.for("pino.metadata")]: true,
    lastLevel: 0,
    write(line: string) {
      output.write(line);
      if (this.lastLevel >= warnLevel) flush();
    },
  };
  return destination;
}

/** A JSON line an entry, on standard output or another destination, secrets struck out wherever an object names them. */
export function createLog(level: LogLevel, destination?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: {
      paths: ["authorization", "cookie", "password", "secret", "token", "key"].flatMap((name) => [
        name,
        `*.${name}`,
        `*.*.${name}`,
      ]),
      censor: "[redacted]",
    },
  };
  return pino(options, destination ?? (level === "silent" ? { write: () => {} } : standardOutput()));
}

/** The log that every part of the service writes to. */
export type Log = FastifyBaseLogger;
