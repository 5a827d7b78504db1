import { fork, type Serializable } from "node:child_process";
import { once } from "node:events";

/** Starts a load generator, a module in this folder, in its own process. It runs one load at a time. */
export function startGenerator<Load extends Serializable, Result>(module: string) {
  const child = fork(new URL(module, import.meta.url), { serialization: "advanced" });
  const ended = once(child, "exit");
  return {
    run: async (load: Load): Promise<Result> => {
      child.send(load);
      const result = await Promise.race([once(child, "message"), ended.then(() => undefined)]);
      if (!result) throw new Error(`${module} has ended`);
      return result[0] as Result;
    },
    stop: () => {
      if (child.connected) child.disconnect();
    },
  };
}
