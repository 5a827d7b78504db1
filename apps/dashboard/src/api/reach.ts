import { onlineManager } from "@tanstack/react-query";
import { externalStore } from "./external-store.ts";

/**
 * The signals that tell whether the server can be reached: the browser, the stream of changes, and the requests
 * of this page.
 */
type Witness = "browser" | "stream" | "requests";

/** The delay before the next connection attempt. It doubles after each failure. */
const lookMs = 1_000;
const lookMsMax = 15_000;

const failing = new Set<Witness>();
const lostAt = externalStore<number | undefined>(undefined);
let looking: Promise<void> | undefined;
let lookSooner = () => {};

/** When the connection was lost, so that data on the page may be stale. Undefined while connected. */
export const useLostAt = (): number | undefined => lostAt.use();

/** Whether the stream of changes is connected. */
export const isLive = (): boolean => !failing.has("stream");

/** Records whether the server was reached. Queued changes are sent once it is reachable. */
export function noteReached(witness: Witness, reached: boolean) {
  if (reached) failing.delete(witness);
  else failing.add(witness);
  lostAt.set(failing.size === 0 ? undefined : (lostAt.get() ?? Date.now()));
  const isLost = failing.has("requests");
  if (isLost) void untilReached();
  onlineManager.setOnline(!isLost && !failing.has("browser"));
}

addEventListener("offline", () => noteReached("browser", false));
addEventListener("online", () => noteReached("browser", true));

/** Retries immediately if a reconnection is in progress. */
export const lookNow = (): void => lookSooner();

/** Resolves once the server responds. Retries with exponential backoff. */
export function untilReached(): Promise<void> {
  looking ??= look();
  return looking;
}

async function look() {
  addEventListener("online", lookNow);
  for (let ms = lookMs; ; ms = Math.min(2 * ms, lookMsMax)) {
    await new Promise<void>((resolve) => {
      lookSooner = resolve;
      setTimeout(resolve, ms);
    });
    const answer = await fetch("/", { method: "HEAD", cache: "no-store" }).catch(() => undefined);
    if (answer && answer.status < 500) break;
    noteReached("requests", false);
  }
  removeEventListener("online", lookNow);
  looking = undefined;
  noteReached("requests", true);
}
