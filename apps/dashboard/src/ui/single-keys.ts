const storedAs = "lodge-single-keys";

/** Whether single-key shortcuts are on, on this device. */
export function areSingleKeysOn(): boolean {
  try {
    return localStorage.getItem(storedAs) !== "off";
  } catch {
    return true; // storage is disabled
  }
}

/** Turns single-key shortcuts on or off, on this device. */
export function switchSingleKeys(on: boolean) {
  try {
    if (on) localStorage.removeItem(storedAs);
    else localStorage.setItem(storedAs, "off");
  } catch {
    // Storage is disabled: they stay on.
  }
}
