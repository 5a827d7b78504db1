import { combine } from "@atlaskit/pragmatic-drag-and-drop/combine";
import { monitorForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { autoScrollForElements } from "@atlaskit/pragmatic-drag-and-drop-auto-scroll/element";
import { extractClosestEdge } from "@atlaskit/pragmatic-drag-and-drop-hitbox/closest-edge";
import { type RefObject, useEffect, useRef } from "react";
import type { LoadedBoard as Board } from "../api/patch-board.ts";
import { findCard, isHere, type Move, moveTo } from "./move-card.ts";

/** Moves a card that is dropped onto a column, or beside another card; scrolls the columns while one is dragged. */
export function useDrops(columns: RefObject<HTMLElement | null>, board: Board, move: (move: Move) => void) {
  const latest = useRef({ board, move });
  useEffect(() => {
    latest.current = { board, move };
  });
  useEffect(() => {
    const element = columns.current;
    if (!element) return;
    return combine(
      autoScrollForElements({ element }),
      monitorForElements({
        onDrop: ({ source, location }) => {
          const target = location.current.dropTargets[0];
          const { ticketId } = source.data;
          if (!target || typeof ticketId !== "string") return;
          const wanted = moveOntoTarget(latest.current.board, ticketId, target.data);
          if (wanted && !isHere(latest.current.board, wanted)) latest.current.move(wanted);
        },
      }),
    );
  }, [columns]);
}

function moveOntoTarget(board: Board, ticketId: string, target: Record<string | symbol, unknown>): Move | undefined {
  if (typeof target.columnId === "string") return moveTo(board, ticketId, target.columnId, Number.POSITIVE_INFINITY);
  if (typeof target.ticketId !== "string" || target.ticketId === ticketId) return undefined;
  const neighbour = findCard(board, target.ticketId);
  if (!neighbour) return undefined;
  const others = neighbour.column.cards.filter(({ id }) => id !== ticketId);
  const index = others.indexOf(neighbour.card) + (extractClosestEdge(target) === "bottom" ? 1 : 0);
  return moveTo(board, ticketId, neighbour.column.id, index);
}
