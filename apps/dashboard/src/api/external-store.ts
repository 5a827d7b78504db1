import { useSyncExternalStore } from "react";

/** A value outside of React that re-renders the components that use it when it changes. */
export type ExternalStore<Value> = {
  get: () => Value;
  set: (next: Value) => void;
  /** The value, updated on every change. */
  use: () => Value;
};

export function externalStore<Value>(initial: Value): ExternalStore<Value> {
  const changes = changeSignal();
  let value = initial;
  const get = () => value;
  return {
    get,
    set: (next) => {
      if (Object.is(next, value)) return;
      value = next;
      changes.emit();
    },
    use: () => useSyncExternalStore(changes.listen, get),
  };
}

/** Tells components that an external value (storage, the document, the clock) has changed. */
export function changeSignal() {
  const listeners = new Set<() => void>();
  return {
    emit: () => {
      for (const listener of listeners) listener();
    },
    /** Returns a function that unsubscribes. */
    listen: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Subscribes to browser events, for `useSyncExternalStore`. */
export const listenTo =
  (target: EventTarget, ...names: string[]) =>
  (listener: () => void) => {
    for (const name of names) target.addEventListener(name, listener);
    return () => {
      for (const name of names) target.removeEventListener(name, listener);
    };
  };
