import type { FastifyBaseLogger } from "fastify";
import { type DestinationStream, pino } from "pino";

/** The levels of LODGE_LOG_LEVEL. */
export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

// A write for each line was a tenth of what a server does under load. Lines wait for company, at most so long and so much;
// what matters at once is written at once, with what waits before it.
const warnLevel = 40;
const flushMs = 100;
const flushBytes = 16_384;

/** Standard output, written in batches: what is a warning or worse at once, and what waits when the process ends too. */
function standardOutput(): DestinationStream {
  let waiting = "";
  const flush = () => {
    if (waiting === "") return;
    const lines = waiting;
    waiting = "";
    process.stdout.write(lines);
  };
  process.stdout.on("error", () => {}); // nobody reads any more
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

/** A JSON line an entry, on standard output or another destination, secrets struck out wherever an object names them. */
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

/** The log that every part of the service writes to. */
export type Log = FastifyBaseLogger;
