import { externalStore } from "./external-store.ts";

/** What tells whether the server can be reached: the stream of what happens, and the requests of this page. */
type Witness = "stream" | "requests";

const failing = new Set<Witness>();
const lostAt = externalStore<number | undefined>(undefined);

/** Since when what is shown may be out of date, because the server cannot be reached; undefined while all is well. */
export const useLostAt = (): number | undefined => lostAt.use();

/** Whether the server tells of every change as it happens. */
export const isLive = (): boolean => !failing.has("stream");

/** Notes whether the server was reached. */
export function noteReached(witness: Witness, reached: boolean) {
  if (reached) failing.delete(witness);
  else failing.add(witness);
  lostAt.set(failing.size === 0 ? undefined : (lostAt.get() ?? Date.now()));
}
