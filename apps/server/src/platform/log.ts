import type { FastifyBaseLogger } from "fastify";
import { pino } from "pino";

/** The levels of LODGE_LOG_LEVEL. */
export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** A JSON line an entry, on standard output, secrets struck out wherever an object names them. */
export function createLog(level: LogLevel): Log {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: ["authorization", "cookie", "password", "secret", "token", "key"].flatMap((name) => [
        name,
        `*.${name}`,
        `*.*.${name}`,
      ]),
      censor: "[redacted]",
    },
  });
}

/** The log that every part of the service writes to. */
export type Log = FastifyBaseLogger;
