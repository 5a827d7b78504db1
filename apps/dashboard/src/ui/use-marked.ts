import { type KeyboardEvent, useState } from "react";

/**
 * The active option of a list while a field has the focus. Keys and the pointer change it; a new text selects the
 * first.
 */
export function useMarked(
  count: number,
  text: string,
  take: (index: number) => void,
  { leave }: { leave: () => void },
) {
  const [marked, setMarked] = useState({ index: 0, text });
  const active = marked.text === text ? Math.min(marked.index, count - 1) : 0;
  const mark = (index: number) => {
    if (index !== active || marked.text !== text) setMarked({ index, text });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return event.stopPropagation(); // also kept from the popup: Escape ends the composition
    if (event.key === "Escape") return leave(); // the popup closes on it
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0 && event.key !== "Enter") return;
    event.preventDefault();
    if (count === 0) return;
    if (event.key === "Enter") return take(active);
    const index = (active + step + count) % count;
    mark(index);
    const list = document.getElementById(event.currentTarget.getAttribute("aria-controls") ?? "");
    list?.children[index]?.scrollIntoView({ block: "nearest" });
  };
  return { active, mark, onKeyDown };
}
