import type { FastifyBaseLogger } from "fastify";
import { type DestinationStream, pino } from "pino";

/** The levels of LODGE_LOG_LEVEL. */
export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** A JSON line an entry, on standard output or another destination, secrets struck out wherever an object names them. */
export function createLog(level: LogLevel, destination: DestinationStream = pino.destination()): Log {
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
  return pino(options, destination);
}

/** The log that every part of the service writes to. */
export type Log = FastifyBaseLogger;
