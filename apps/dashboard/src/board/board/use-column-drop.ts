import { combine } from "@atlaskit/pragmatic-drag-and-drop/combine";
import { dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { autoScrollForElements } from "@atlaskit/pragmatic-drag-and-drop-auto-scroll/element";
import { useEffect, useRef, useState } from "react";

/**
 * Lets cards be dropped on a column, and scrolls its `list`, if any, while a card is dragged near the top or bottom of it.
 */
export function useColumnDrop(columnId: string) {
  const area = useRef<HTMLElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [over, setOver] = useState(false);
  useEffect(() => {
    if (!area.current) return;
    return combine(
      dropTargetForElements({
        element: area.current,
        getData: () => ({ columnId }),
        onDragEnter: () => setOver(true),
        onDragLeave: () => setOver(false),
        onDrop: () => setOver(false),
      }),
      list.current ? autoScrollForElements({ element: list.current }) : () => {},
    );
  }, [columnId]);
  return { area, list, over };
}
