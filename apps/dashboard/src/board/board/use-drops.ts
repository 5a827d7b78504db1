import { combine } from "@atlaskit/pragmatic-drag-and-drop/combine";
import { monitorForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { autoScrollForElements } from "@atlaskit/pragmatic-drag-and-drop-auto-scroll/element";
import { extractClosestEdge } from "@atlaskit/pragmatic-drag-and-drop-hitbox/closest-edge";
import { type RefObject, useEffect, useRef } from "react";
import type { LoadedBoard as Board } from "../../api/patch-board.ts";
import { findCard, isHere, type Move, type Place } from "./move-card.ts";

/**
 * Moves a card that is dropped on a column or next to another card. A selected card takes the other selected ones
 * along, in the board's order. Scrolls the columns during a drag.
 */
export function useDrops(
  columns: RefObject<HTMLElement | null>,
  board: Board,
  selected: ReadonlySet<string>,
  move: (move: Move) => void,
  moveAll: (ticketIds: readonly string[], place: Place) => void,
) {
  const latest = useRef({ board, selected, move, moveAll });
  useEffect(() => {
    latest.current = { board, selected, move, moveAll };
  });
  useEffect(() => {
    const element = columns.current;
    if (!element) return;
    return combine(
      autoScrollForElements({ element }),
      monitorForElements({
        onDragStart: ({ source }) => {
          const { selected: together } = latest.current;
          const isOne = together.size < 2 || !together.has(String(source.data.ticketId));
          if (!isOne) element.dataset.draggingSelected = "";
        },
        onDrop: ({ source, location }) => {
          delete element.dataset.draggingSelected;
          const target = location.current.dropTargets[0];
          const { ticketId } = source.data;
          if (!target || typeof ticketId !== "string") return;
          const { board: shown, selected: together, ...act } = latest.current;
          if (together.has(ticketId) && together.size > 1) {
            const place = placeOn(shown, together, target.data);
            const all = shown.columns.flatMap(({ cards }) => cards.filter(({ id }) => together.has(id)));
            if (place)
              act.moveAll(
                all.map(({ id }) => id),
                place,
              );
            return;
          }
          const place = placeOn(shown, new Set([ticketId]), target.data);
          const wanted = place && { ticketId, ...place };
          if (wanted && !isHere(shown, wanted)) act.move(wanted);
        },
      }),
    );
  }, [columns]);
}

/** The place where cards were dropped, ignoring these cards. */
function placeOn(
  board: Board,
  dropped: ReadonlySet<string>,
  target: Record<string | symbol, unknown>,
): Place | undefined {
  const neighbour = typeof target.ticketId === "string" ? findCard(board, target.ticketId) : undefined;
  const column = neighbour?.column ?? board.columns.find(({ id }) => id === target.columnId);
  if (!column) return undefined;
  const end = neighbour ? neighbour.index + (extractClosestEdge(target) === "bottom" ? 1 : 0) : column.cards.length;
  const above = column.sort ? undefined : column.cards.slice(0, end).findLast(({ id }) => !dropped.has(id));
  return { columnId: column.id, belowTicketId: above?.id ?? null };
}
