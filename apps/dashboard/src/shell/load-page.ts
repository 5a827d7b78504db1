import { lazyRouteComponent } from "@tanstack/react-router";
import { keepLoading } from "../api/keep-loading.ts";

/** A page whose script is loaded when the page opens, or earlier. If it cannot be loaded, the router reloads once. */
export const page: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => keepLoading(load), name);

/** A page or dialog that can be preloaded. */
type Loadable = { preload?: () => Promise<unknown> | undefined };

const firstIdleMs = 3_000;

/**
 * Preloads pages one by one while the browser is idle, so that they open immediately, even offline. Returns a function
 * that stops it.
 */
export function loadWhenIdle(pages: readonly Loadable[]): () => void {
  let isWanted = true;
  const idle = () =>
    new Promise<void>((resolve) => {
      if ("requestIdleCallback" in window) requestIdleCallback(() => resolve());
      else setTimeout(resolve, 100); // Safari
    });
  const load = async () => {
    for (const each of pages) {
      await idle();
      if (!isWanted) return;
      await each.preload?.();
    }
  };
  const timer = setTimeout(() => void load(), firstIdleMs);
  return () => {
    isWanted = false;
    clearTimeout(timer);
  };
}
