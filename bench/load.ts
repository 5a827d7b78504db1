/** What to send, over how many connections, for how long. Each request carries a fresh Idempotency-Key. */
export type Load = {
  port: number;
  path: string;
  /** Credentials, used in turn by each connection. */
  bearers: readonly string[];
  body: string;
  connections: number;
  seconds: number;
};

/** What came of it. */
export type LoadResult = {
  seconds: number;
  latenciesMs: number[];
  /** Answers by status code. */
  statuses: Record<string, number>;
  /** CPU that the load generator itself used. */
  cpuSeconds: number;
};
