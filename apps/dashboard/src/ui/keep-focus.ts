/**
 * The time within which an element in use may disappear after a change: a busy machine shows it later than the next
 * frame.
 */
const goingMs = 1_000;
/** Ends the work of an earlier change. */
let latest: () => void;

/** Gives the focus to something else where what has it goes with a change that is being made. */
export function keepFocus(give: () => void) {
  latest = give;
  const until = performance.now() + goingMs;
  const look = () => {
    if (latest !== give) return;
    if (document.activeElement === document.body) give();
    if (performance.now() < until) requestAnimationFrame(look);
  };
  requestAnimationFrame(() => setTimeout(look));
}

/** The same for an element that a selector finds. */
export const keepFocusAt = (selector: string): void =>
  keepFocus(() => document.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true }));
