import { externalStore } from "../api/external-store.ts";

/** An overlay that every page has: search, keyboard shortcuts, or new organisation. */
export type Overlay = "search" | "keys" | "organisation";

const shown = externalStore<Overlay | undefined>(undefined);

/** Shows an overlay, or none. */
export const showOverlay = (overlay: Overlay | undefined): void => shown.set(overlay);

/** The visible overlay. */
export const useOverlay = (): Overlay | undefined => shown.use();
