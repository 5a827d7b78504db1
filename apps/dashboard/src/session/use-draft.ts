import { useSyncExternalStore } from "react";
import { changeSignal } from "../api/external-store.ts";
import { useSession } from "./use-session.ts";

const prefix = "lodge-draft";
const changes = changeSignal();
/** The drafts by key. Values keep their identity until they change. */
const drafts = new Map<string, unknown>();

/**
 * The person's draft at `place` (such as `tickets/{id}/comment`), and a setter; undefined discards it. The draft
 * survives the component, the page and the session on this device, in all tabs, until it is discarded: do so once it is
 * saved, or when the person asks for it. `Value` is stored as JSON. If storage is disabled or full, it lasts as long as
 * the page.
 */
export function useDraft<Value>(place: string): readonly [draft: Value | undefined, keep: (next: Next<Value>) => void] {
  const key = useKey(place);
  const draft = useSyncExternalStore(changes.listen, () => read(key)) as Value | undefined;
  return [draft, (next) => keepNext(key, next)];
}

/** Sets a person's draft at a place, even if somebody else is signed in by then. */
export const keepDraftOf = <Value>(userId: string, place: string, next: Next<Value>) =>
  keepNext(keyOf(userId, place), next);

const keyOf = (userId: string, place: string) => `${prefix}:${userId}:${place}`;
const useKey = (place: string) => keyOf(useSession().user.id, place);

const keepNext = <Value>(key: string, next: Next<Value>) =>
  keep(key, typeof next === "function" ? (next as Update<Value>)(read(key) as Value | undefined) : next);

/** A draft, or a function from the current draft to the next. */
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
    return undefined; // storage is disabled, or the value is not ours
  }
}

function keep(key: string, draft: unknown) {
  drafts.set(key, draft);
  try {
    if (draft === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // Storage is disabled or full: the draft lasts as long as the page.
  }
  changes.emit();
}

addEventListener("storage", ({ key }) => {
  if (key === null) drafts.clear();
  else drafts.delete(key);
  changes.emit();
});
