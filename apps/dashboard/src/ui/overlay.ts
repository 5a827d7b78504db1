import { externalStore } from "../api/external-store.ts";

/** An overlay of every page: the search, the list of keys, or the dialog that makes an organisation. */
export type Overlay = "search" | "keys" | "organisation";

const shown = externalStore<Overlay | undefined>(undefined);

/** Shows one of them, or none. */
export const showOverlay = (overlay: Overlay | undefined): void => shown.set(overlay);

/** Which of them shows. */
export const useOverlay = (): Overlay | undefined => shown.use();
