/** The time after a change in which the focused element may disappear, since the server may have to respond first. */
const goingMs = 10_000;
/** How long to check for that in each frame. After that, less often, until the person presses a key or a button. */
const soonMs = 1_000;
const laterMs = 100;
/** The function that gives the focus after the latest change. A new one replaces it. */
let latest: () => void;
let lastUsed = 0;
for (const type of ["keydown", "pointerdown"]) {
  addEventListener(
    type,
    ({ timeStamp }) => {
      lastUsed = timeStamp;
    },
    true,
  );
}

/** Calls `give` to focus another element if the focused one disappears after a change that is being made. */
export function keepFocus(give: () => void) {
  latest = give;
  const began = performance.now();
  const look = () => {
    if (latest !== give) return;
    if (document.activeElement === document.body) give();
    const ms = performance.now() - began;
    if (ms < soonMs) requestAnimationFrame(look);
    else if (ms < goingMs && lastUsed < began) setTimeout(look, laterMs);
  };
  requestAnimationFrame(() => setTimeout(look));
}

/** The same, with a selector for the element to focus. */
export const keepFocusAt = (selector: string): void =>
  keepFocus(() => document.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true }));
