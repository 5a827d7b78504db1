import { useSyncExternalStore } from "react";

/** A value that lives outside of components, and tells the components that use it when it changes. */
export type ExternalStore<Value> = {
  get: () => Value;
  set: (next: Value) => void;
  /** The value, now and after every change. */
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

/** Tells components that what they read elsewhere (storage, the document, the clock) has changed. */
export function changeSignal() {
  const listeners = new Set<() => void>();
  return {
    emit: () => {
      for (const listener of listeners) listener();
    },
    /** Returns how to stop listening. */
    listen: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Listens to events of the browser, for `useSyncExternalStore`. */
export const listenTo =
  (target: EventTarget, ...names: string[]) =>
  (listener: () => void) => {
    for (const name of names) target.addEventListener(name, listener);
    return () => {
      for (const name of names) target.removeEventListener(name, listener);
    };
  };
