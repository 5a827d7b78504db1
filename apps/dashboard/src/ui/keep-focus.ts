/** The time within which an element in use may disappear after a change: the server may have to be asked first. */
const goingMs = 10_000;
/** For how long that is looked for in each frame; then less often, until the person goes on by themselves. */
const soonMs = 1_000;
const laterMs = 100;
/** Gives the focus since the latest change, which ends the work of an earlier one. */
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

/** Gives the focus to something else where what has it goes with a change that is being made. */
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

/** The same for an element that a selector finds. */
export const keepFocusAt = (selector: string): void =>
  keepFocus(() => document.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true }));
