import { useSyncExternalStore } from "react";
import { changeSignal } from "../api/external-store.ts";

/** The chosen theme; `system` follows the device. */
export type Theme = "system" | "light" | "dark";

const key = "lodge-theme"; // theme-boot.js reads it, too
const changes = changeSignal();

function currentTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === "light" || theme === "dark" ? theme : "system";
}

/** Sets the theme on this device. */
export function chooseTheme(theme: Theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    if (theme === "system") localStorage.removeItem(key);
    else localStorage.setItem(key, theme);
  } catch {
    // Storage is disabled: the choice lasts as long as the page.
  }
  changes.emit();
}

/** The chosen theme. */
export const useTheme = (): Theme => useSyncExternalStore(changes.listen, currentTheme);
