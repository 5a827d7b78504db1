import { type RefObject, useLayoutEffect, useRef } from "react";
import { areSingleKeysOn } from "./single-keys.ts";

/** Elements that handle letters themselves. */
const taken =
  "input, textarea, select, [contenteditable], [role=menu], [role=listbox], [role=dialog], [role=alertdialog]";

/**
 * J and K focus the first link of the next and previous entry of a list. `actions` handle other letters, with the index
 * of the focused entry, else of the open one, else -1.
 */
export function useListKeys(
  list: RefObject<HTMLElement | null>,
  actions: Record<string, (index: number) => void> = {},
) {
  const latest = useRef(actions);
  // A layout effect, because a key press may come before an effect.
  useLayoutEffect(() => {
    latest.current = actions;
  });
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, target, altKey, ctrlKey, metaKey } = event;
      if (event.isComposing || altKey || ctrlKey || metaKey || !areSingleKeysOn()) return;
      if (target instanceof Element && target.closest(taken)) return;
      const rows = [...(list.current?.children ?? [])];
      const focused = rows.findIndex((row) => row.contains(document.activeElement));
      const index = focused >= 0 ? focused : rows.findIndex((row) => row.querySelector("[aria-current=page]"));
      const act = latest.current[key];
      if (act) {
        event.preventDefault();
        act(index);
      }
      const step = key === "j" ? 1 : key === "k" ? -1 : 0;
      const row = step === 0 ? undefined : rows[index < 0 ? 0 : index + step];
      if (!row) return;
      event.preventDefault();
      row.scrollIntoView({ block: "nearest" });
      row.querySelector("a")?.focus();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [list]);
}
