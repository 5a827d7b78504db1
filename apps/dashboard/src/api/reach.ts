import { useSyncExternalStore } from "react";

/** What tells whether the server can be reached: the stream of what happens, and the requests of this page. */
type Witness = "stream" | "requests";

const listeners = new Set<() => void>();
const failing = new Set<Witness>();
let lostAt: number | undefined;

/** Since when what is shown may be out of date, because the server cannot be reached; undefined while all is well. */
export const useLostAt = (): number | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => lostAt,
  );

/** Whether the server tells of every change as it happens. */
export const isLive = (): boolean => !failing.has("stream");

/** Notes whether the server was reached. */
export function noteReached(witness: Witness, reached: boolean) {
  if (reached) failing.delete(witness);
  else failing.add(witness);
  const before = lostAt;
  lostAt = failing.size === 0 ? undefined : (lostAt ?? Date.now());
  if (lostAt !== before) for (const listener of listeners) listener();
}
