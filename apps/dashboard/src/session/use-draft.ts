import { useSyncExternalStore } from "react";
import { changeSignal } from "../api/external-store.ts";
import { useSession } from "./use-session.ts";

const prefix = "lodge-draft";
const changes = changeSignal();
/** The drafts by key, as read or kept last: the same value as long as nothing changes. */
const drafts = new Map<string, unknown>();

/**
 * The draft of the person who is signed in at `place` (such as `tickets/{id}/comment`), and how to keep it; undefined
 * for nothing, which discards it. It outlives the component, the page and the session, on this device and in all of
 * its tabs, until it is discarded: do that once it is saved, or when the person says so. `Value` is stored as JSON;
 * where storage is switched off or full, it lives as long as the page.
 */
export function useDraft<Value>(place: string): readonly [draft: Value | undefined, keep: (next: Next<Value>) => void] {
  const key = useKey(place);
  const draft = useSyncExternalStore(changes.listen, () => read(key)) as Value | undefined;
  return [draft, (next) => keepNext(key, next)];
}

/** Keeps a person's draft at a place, even if somebody else is signed in by now. */
export const keepDraftOf = <Value>(userId: string, place: string, next: Next<Value>) =>
  keepNext(keyOf(userId, place), next);

const keyOf = (userId: string, place: string) => `${prefix}:${userId}:${place}`;
const useKey = (place: string) => keyOf(useSession().user.id, place);

const keepNext = <Value>(key: string, next: Next<Value>) =>
  keep(key, typeof next === "function" ? (next as Update<Value>)(read(key) as Value | undefined) : next);

/** A draft, or what becomes of the one that there is by then. */
type Next<Value> = Value | undefined | Update<Value>;
type Update<Value> = (now: Value | undefined) => Value | undefined;

function read(key: string): unknown {
  if (!drafts.has(key)) drafts.set(key, stored(key));
  return drafts.get(key);
}

function stored(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") ?? undefined;
  } catch {
    return undefined; // storage is switched off, or this is not of ours
  }
}

function keep(key: string, draft: unknown) {
  drafts.set(key, draft);
  try {
    if (draft === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // Storage is switched off or full: the draft lasts as long as the page.
  }
  changes.emit();
}

addEventListener("storage", ({ key }) => {
  if (key === null) drafts.clear();
  else drafts.delete(key);
  changes.emit();
});
