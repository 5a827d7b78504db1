import { dehydrate, hydrate, type Mutation } from "@tanstack/react-query";
import { queryClient } from "../api/client.ts";
import { randomKey, waitingKey } from "./waiting.ts";

const prefix = "lodge-waiting";
/** The id of this tab. Other tabs take over its queue only once the tab is closed and its lock is released. */
const tab = randomKey();
const [group] = waitingKey("");

const isWaiting = ({ options, state }: Mutation) => options.mutationKey?.[0] === group && state.status === "pending";

/**
 * Stores a viewer's queued changes on this device, so that they survive the page, and sends those that earlier pages
 * left. Returns a function that stops this: nothing more is sent, because the session may then belong to somebody else.
 */
export function keepWaiting(viewer: string): () => void {
  const cache = queryClient.getMutationCache();
  const stop = cache.subscribe(({ mutation }) => {
    if (mutation?.options.mutationKey?.[0] === group) save(`${prefix}:${viewer}:${tab}`);
  });
  const leaving = new AbortController();
  for (const key of keysOf(viewer)) {
    const of = key.slice(key.lastIndexOf(":") + 1);
    if (of === tab || !("locks" in navigator)) adopt(key);
    else navigator.locks.request(`${prefix}:${of}`, { signal: leaving.signal }, () => adopt(key)).catch(() => {});
  }
  return () => {
    stop();
    leaving.abort();
    for (const mutation of cache.findAll({ predicate: isWaiting })) cache.remove(mutation);
  };
}

if ("locks" in navigator) void navigator.locks.request(`${prefix}:${tab}`, () => new Promise(() => {}));

function keysOf(viewer: string): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(`${prefix}:${viewer}:`));
  } catch {
    return []; // storage is disabled
  }
}

function save(key: string) {
  const { mutations } = dehydrate(queryClient, {
    shouldDehydrateMutation: isWaiting,
    shouldDehydrateQuery: () => false,
  });
  try {
    if (mutations.length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(mutations));
  } catch {
    // Storage is disabled or full: the changes last as long as the page.
  }
}

function adopt(key: string) {
  const kept = JSON.parse(localStorage.getItem(key) ?? "[]") as ReturnType<typeof dehydrate>["mutations"];
  localStorage.removeItem(key);
  const mutations = kept.map((mutation) => ({ ...mutation, state: { ...mutation.state, isPaused: true } }));
  hydrate(queryClient, { mutations, queries: [] });
  void queryClient.resumePausedMutations();
}
