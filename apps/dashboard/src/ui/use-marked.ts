import { type KeyboardEvent, useState } from "react";

/** Which line of a list is marked while a field has the focus: keys and the pointer move it, a new text marks the first. */
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
    if (event.nativeEvent.isComposing) return event.stopPropagation(); // also from the popup: Escape ends the composing
    if (event.key === "Escape") return leave(); // which closes it, too
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
