import { dehydrate, hydrate, type Mutation } from "@tanstack/react-query";
import { queryClient } from "../api/client.ts";
import { randomKey, waitingKey } from "./waiting.ts";

const prefix = "lodge-waiting";
/** This tab: what it keeps goes to another tab only once this one is gone, and with it the lock of its name. */
const tab = randomKey();
const [group] = waitingKey("");

const isWaiting = ({ options, state }: Mutation) => options.mutationKey?.[0] === group && state.status === "pending";

/**
 * Keeps what a viewer's changes wait for the server on this device, so that they outlive the page, and sends those that an
 * earlier page has left. Returns how to stop; then none is sent until somebody keeps them again: the session may be another's.
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
    // Storage is switched off or full: they last as long as the page.
  }
}

function adopt(key: string) {
  const kept = JSON.parse(localStorage.getItem(key) ?? "[]") as ReturnType<typeof dehydrate>["mutations"];
  localStorage.removeItem(key);
  const mutations = kept.map((mutation) => ({ ...mutation, state: { ...mutation.state, isPaused: true } }));
  hydrate(queryClient, { mutations, queries: [] });
  void queryClient.resumePausedMutations();
}
