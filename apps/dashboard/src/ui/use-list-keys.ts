import { type RefObject, useLayoutEffect, useRef } from "react";
import { areSingleKeysOn } from "./single-keys.ts";

/** Where a letter is for what has the focus. */
const taken =
  "input, textarea, select, [contenteditable], [role=menu], [role=listbox], [role=dialog], [role=alertdialog]";

/**
 * J goes to the next entry of a list, K to the one before: to its first link, which Enter follows. `actions` are what
 * other letters do with the entry that has the focus, by its index: where none has it, of the one that is open, else -1.
 */
export function useListKeys(
  list: RefObject<HTMLElement | null>,
  actions: Record<string, (index: number) => void> = {},
) {
  const latest = useRef(actions);
  // In the commit that shows the list: an effect comes later, and a key may be faster.
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
