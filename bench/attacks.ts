/** The kinds of attacks. */
export const attackNames = ["values", "text", "refused", "stranger", "stalled", "parts", "events", "replays"] as const;

/** A kind of attack. */
export type AttackName = (typeof attackNames)[number];

/** An attack and its target. */
export type Attack = {
  name: AttackName;
  port: number;
  bearer: string;
  /** The number of the app, for Sentry's endpoints. */
  appNumber: number;
  connections: number;
  seconds: number;
};

/** The number of responses by status; `connected` is the number of connections. */
export type AttackResult = { connected: number; statuses: Record<string, number> };
