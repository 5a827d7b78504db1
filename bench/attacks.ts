/** The attacks of strangers, each over so many connections for so long. */
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

/** The number of answers by status; `connected` is how many connections were made. */
export type AttackResult = { connected: number; statuses: Record<string, number> };
