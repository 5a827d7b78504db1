import { fork } from "node:child_process";
import { once } from "node:events";

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

/** A load generator in a process of its own, to be used for one load at a time. */
export function startLoadGenerator(): { run: (load: Load) => Promise<LoadResult>; stop: () => void } {
  const child = fork(new URL("./load-generator.ts", import.meta.url), { serialization: "advanced" });
  const ended = once(child, "exit");
  return {
    run: async (load) => {
      child.send(load);
      const result = await Promise.race([once(child, "message"), ended.then(() => undefined)]);
      if (!result) throw new Error("the load generator has ended");
      return result[0] as LoadResult;
    },
    stop: () => {
      if (child.connected) child.disconnect();
    },
  };
}
