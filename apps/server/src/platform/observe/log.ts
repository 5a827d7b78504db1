import type { FastifyBaseLogger } from "fastify";
import { type DestinationStream, pino } from "pino";

/** The levels of LODGE_LOG_LEVEL. */
export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

// A write per line took a tenth of a server's time under load. So lines are buffered, up to this time and size.
// Warnings and errors are written immediately, after the buffered lines.
const warnLevel = 40;
const flushMs = 100;
const flushBytes = 16_384;

/** Buffered standard output. Flushed immediately for warnings or worse, and when the process ends. */
function standardOutput(): DestinationStream {
  let waiting = "";
  const flush = () => {
    if (waiting === "") return;
    const lines = waiting;
    waiting = "";
    process.stdout.write(lines);
  };
  process.stdout.on("error", () => {}); // the reader is gone
  setInterval(flush, flushMs).unref();
  process.on("exit", flush);
  return {
    [Symbol.for("pino.metadata")]: true,
    lastLevel: 0,
    write(line: string) {
      waiting += line;
      if (waiting.length >= flushBytes || this.lastLevel >= warnLevel) flush();
    },
  } as DestinationStream & { lastLevel: number };
}

const struckOut = [
  ...[
    "authorization",
    "cookie",
    "password",
    "secret",
    "token",
    "key",
    "secrets",
    "clientSecret",
    "slackUrl",
    "sealing",
  ],
  '["set-cookie"]',
];

/** A log of JSON lines on standard output or another destination. Redacts secrets by their field names. */
export function createLog(level: LogLevel, destination?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: {
      paths: struckOut.flatMap((name) => [
        name,
        ...["*", "*.*"].map((above) => (name.startsWith("[") ? `${above}${name}` : `${above}.${name}`)),
      ]),
      censor: "[redacted]",
    },
  };
  return pino(options, destination ?? (level === "silent" ? { write: () => {} } : standardOutput()));
}

/** The log of the service. */
export type Log = FastifyBaseLogger;
