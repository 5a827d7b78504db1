import type { KyselyPlugin } from "kysely";
import { thinEvents } from "../both/retention/thin-events.ts";

/** Thins events, and runs `meanwhile` once after a day's kept events are copied and before they replace the day. */
export function thinWhile(deps: Parameters<typeof thinEvents>[0], meanwhile: () => Promise<unknown>) {
  let isDone = false;
  const isCopied = async () => {
    const days = deps.db.selectFrom("event_partitions").select("number").where("goes_whole", "=", true);
    return (await days.where("replaced_by", "is not", null).execute()).length > 0;
  };
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (!isDone && "bytes" in (result.rows[0] ?? {}) && (await isCopied())) {
        isDone = true;
        await meanwhile();
      }
      return result;
    },
  };
  return thinEvents({ ...deps, db: deps.db.withPlugin(plugin) });
}
