/** What strangers do to a server, each over so many connections for so long. */
export const attackNames = ["values", "text", "refused", "stranger", "stalled", "parts", "events", "replays"] as const;

/** One of them. */
export type AttackName = (typeof attackNames)[number];

/** Which attack, on whom. */
export type Attack = {
  name: AttackName;
  port: number;
  bearer: string;
  /** The number of the app, for Sentry's endpoints. */
  appNumber: number;
  connections: number;
  seconds: number;
};

/** What was answered, by status; `connected` is how many connections were made. */
export type AttackResult = { connected: number; statuses: Record<string, number> };
