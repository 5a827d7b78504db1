import { useCallback, useSyncExternalStore } from "react";
import { listenTo } from "../api/external-store.ts";

/** Whether a media query matches, updated on every change. */
export function useMedia(query: string): boolean {
  const listen = useCallback((listener: () => void) => listenTo(matchMedia(query), "change")(listener), [query]);
  return useSyncExternalStore(listen, () => matchMedia(query).matches);
}
