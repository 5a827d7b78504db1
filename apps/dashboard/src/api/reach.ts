import { onlineManager } from "@tanstack/react-query";
import { externalStore } from "./external-store.ts";

/**
 * The sources that tell whether the server can be reached: the browser, the stream of what happens, and the requests
 * of this page.
 */
type Witness = "browser" | "stream" | "requests";

/** How long to wait before the server is looked for again: each time twice as long. */
const lookMs = 1_000;
const lookMsMax = 15_000;

const failing = new Set<Witness>();
const lostAt = externalStore<number | undefined>(undefined);
let looking: Promise<void> | undefined;
let lookSooner = () => {};

/** Since when what is shown may be out of date, because the server cannot be reached; undefined while all is well. */
export const useLostAt = (): number | undefined => lostAt.use();

/** Whether the server tells of every change as it happens. */
export const isLive = (): boolean => !failing.has("stream");

/** Notes whether the server was reached. Waiting changes are sent once it is. */
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

/** Looks for the server at once, where it is looked for. */
export const lookNow = (): void => lookSooner();

/** Resolves once the server answers, which is asked after a moment, and then ever more seldom. */
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
