import { useSyncExternalStore } from "react";

/** What lies over every page when it is asked for: the search, or the list of keys. */
export type Overlay = "search" | "keys";

const listeners = new Set<() => void>();
let shown: Overlay | undefined;

/** Shows one of them, or none. */
export function showOverlay(overlay: Overlay | undefined) {
  shown = overlay;
  for (const listener of listeners) listener();
}

/** Which of them shows. */
export const useOverlay = (): Overlay | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
