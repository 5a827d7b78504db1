import { bulkTicketsMax } from "@lodge/contract/limits";
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { LoadedBoard } from "../../api/patch-board.ts";
import { areSingleKeysOn } from "../../ui/single-keys.ts";
import { tellFailed } from "../../ui/toasts.tsx";
import { focusCard, ticketIdOf } from "./laid-out-cards.ts";
import { findCard } from "./move-card.ts";

const none: ReadonlySet<string> = new Set();

/** Selects or deselects a card, or selects the range up to it. The range restarts at `from` unless it ended there. */
export type Select = (ticketId: string, how: "switch" | "range", from?: string) => void;

/** The selected cards of a board, at most 100. Select with X, Shift-click, or Shift and an arrow key. */
export function useSelection(board: LoadedBoard) {
  const [wanted, setWanted] = useState(none);
  /** The start and end of the range, and the selection before it. */
  const range = useRef({ anchor: "", head: "", base: none });
  // A card that has left the board is no longer selected.
  const selected = useMemo(() => {
    if (wanted.size === 0) return none;
    const shown = board.columns.flatMap(({ cards }) => cards.filter(({ id }) => wanted.has(id)));
    return new Set(shown.map(({ id }) => id));
  }, [board, wanted]);
  const latest = useRef({ board, selected });
  useEffect(() => {
    latest.current = { board, selected };
  });

  const choose = useCallback((next: ReadonlySet<string>) => {
    if (next.size <= bulkTicketsMax) return setWanted(next);
    tellFailed(`At most ${bulkTicketsMax} cards can be selected`);
    setWanted(new Set([...next].slice(0, bulkTicketsMax)));
  }, []);

  const select: Select = useCallback(
    (ticketId, how, from) => {
      const { board: shown, selected: before } = latest.current;
      const found = findCard(shown, ticketId);
      if (!found) return;
      if (how === "switch") {
        const next = new Set(before);
        if (!next.delete(ticketId)) next.add(ticketId);
        range.current = { anchor: ticketId, head: ticketId, base: next };
        return choose(next);
      }
      const { cards } = found.column;
      const isGone = !cards.some(({ id }) => id === range.current.anchor);
      if (isGone || (from && from !== range.current.head)) {
        range.current = { anchor: from ?? ticketId, head: ticketId, base: before };
      }
      range.current.head = ticketId;
      const { anchor, base } = range.current;
      const ends = [cards.findIndex(({ id }) => id === anchor), found.index].sort((one, other) => one - other);
      const [first = 0, last = 0] = ends;
      choose(new Set([...base, ...cards.slice(first, last + 1).map(({ id }) => id)]));
    },
    [choose],
  );

  const clear = useCallback(() => {
    range.current = { anchor: "", head: "", base: none };
    setWanted(none);
  }, []);

  /** Handles a key. Returns whether it was one of the selection. */
  const onKeyDown = (event: KeyboardEvent): boolean => {
    const ticketId = ticketIdOf(event.target);
    if (event.altKey || event.ctrlKey || event.metaKey) return false;
    if (event.key === "Escape" && selected.size > 0) clear();
    else if (!ticketId) return false;
    else if (event.key.toLowerCase() === "x" && areSingleKeysOn())
      select(ticketId, event.shiftKey ? "range" : "switch");
    else if (event.shiftKey && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      const found = findCard(board, ticketId);
      const next = found?.column.cards[found.index + (event.key === "ArrowDown" ? 1 : -1)];
      if (!next) return false;
      select(next.id, "range", ticketId);
      focusCard(next.id);
    } else return false;
    event.preventDefault();
    return true;
  };

  return { selected, select, clear, onKeyDown };
}
