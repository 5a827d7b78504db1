import { useSyncExternalStore } from "react";
import { changeSignal } from "../api/external-store.ts";

const key = "lodge-density";
const changes = changeSignal();

/** Whether the cards of boards are compact. */
export const isCompact = () => document.documentElement.dataset.density === "compact";

try {
  if (localStorage.getItem(key) === "compact") document.documentElement.dataset.density = "compact";
} catch {
  // Storage is disabled.
}

/** Sets whether the cards of boards are compact on this device. */
export function chooseCompact(compact: boolean) {
  if (compact) document.documentElement.dataset.density = "compact";
  else delete document.documentElement.dataset.density;
  try {
    if (compact) localStorage.setItem(key, "compact");
    else localStorage.removeItem(key);
  } catch {
    // Storage is disabled: the choice lasts as long as the page.
  }
  changes.emit();
}

/** The same, updated on every change. */
export const useCompact = (): boolean => useSyncExternalStore(changes.listen, isCompact);
