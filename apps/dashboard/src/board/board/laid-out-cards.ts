import type { Card } from "@lodge/contract/dashboard/boards";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { isCollapsed } from "../../api/column-choices.ts";
import type { LoadedBoard, LoadedColumn } from "../../api/patch-board.ts";
import { isCompact, useCompact } from "../../ui/density.ts";
import { keepFocus } from "../../ui/keep-focus.ts";
import { afterNextFrame } from "../../ui/use-next-frame.ts";

/** The distance beyond the visible part of a column within which cards are laid out, in pixels. */
const aheadPx = 250;
/** The assumed height of a card before it is laid out, in pixels. */
const likelyHeightPx = 104;
const compactHeightPx = 76;
/** The number of cards by which the laid-out range grows, so that not every scrolled card causes a render. */
const stepCards = 4;

type Act = (element: HTMLElement) => void;

/** The visible board, and the function that lays out one of its cards. */
let shownColumns: readonly LoadedColumn[] = [];
const layOut = new Map<string, (ticketId: string, act: Act) => void>();

/** The id of a card's focusable element. */
export const cardElementId = (ticketId: string) => `card-${ticketId}`;

/** The card to which a focusable element belongs. */
export const ticketIdOf = (element: EventTarget): string | undefined =>
  element instanceof Element && element.id.startsWith("card-") ? element.id.slice("card-".length) : undefined;

/**
 * Calls a function with a card's focusable element, laying the card out first if needed. Does nothing if no board shows
 * it.
 */
export function withCard(ticketId: string, act: Act) {
  const element = document.getElementById(cardElementId(ticketId));
  if (element) return act(element);
  const column = shownColumns.find(({ cards }) => cards.some(({ id }) => id === ticketId));
  if (column) layOut.get(column.id)?.(ticketId, act);
}

/** Focuses a card, if it is shown. */
export const focusCard = (ticketId: string) => withCard(ticketId, (element) => element.focus());

/** The cards of the visible board, column by column, each from the top. */
export const shownTicketIds = (): string[] =>
  shownColumns.flatMap(({ id: columnId, cards }) => (isCollapsed(columnId) ? [] : cards.map(({ id }) => id)));

/**
 * Keeps the focus on the board while these cards move or leave it. If the focus is lost, it goes to the first of them
 * that is still shown, else to the card after them.
 */
export function keepFocusNear(ticketIds: readonly string[]) {
  const all = shownTicketIds();
  const end = all.lastIndexOf(ticketIds.at(-1) ?? "");
  const nearest = [...ticketIds, ...all.slice(end + 1), ...all.slice(0, end + 1).reverse()];
  keepFocus(() => {
    const shown = new Set(shownTicketIds());
    const ticketId = nearest.find((id) => shown.has(id));
    if (ticketId) withCard(ticketId, (element) => element.focus({ preventScroll: true }));
  });
}

/** Registers the cards of the visible board for code outside of it. */
export function useShownBoard({ columns }: LoadedBoard) {
  useLayoutEffect(() => {
    shownColumns = columns;
  }, [columns]);
  useEffect(
    () => () => {
      shownColumns = [];
    },
    [],
  );
}

/**
 * A laid-out card of a column or list, its index, and the height in pixels of the cards above it that are not laid out.
 */
type Place = { card: Card; index: number; roomPx: number };

/**
 * The cards of a column to lay out: those in or near the visible part, and those that have the focus or are being
 * moved. The others are replaced by empty space, because hundreds of cards slow down every frame even when invisible.
 */
export function useLaidOutCards(
  column: LoadedColumn,
  carriedId: string | undefined,
  /** A moved card, laid out in addition to the visible ones, so that no others change as it leaves. */
  extraId: string | undefined,
  list: RefObject<HTMLElement | null>,
  items: RefObject<HTMLElement | null>,
  /** The assumed height of a card before it is laid out, in pixels. */
  likelyPx?: number,
): { places: Place[]; roomBelowPx: number } {
  const [part, setPart] = useState({ first: 0, end: 4 * stepCards, inUse: [] as string[] });
  const heights = useRef(new Map<string, number>());
  const compact = useCompact();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the density changes the height of cards
  useLayoutEffect(() => heights.current.clear(), [compact]);
  const awaited = useRef<{ ticketId: string; act: Act }>(undefined);
  const latest = useRef<readonly Card[]>([]);
  useLayoutEffect(() => {
    latest.current = column.cards.filter(({ id }) => id !== extraId);
  });

  const update = useCallback(() => {
    const [scrolled, area] = [list.current, items.current];
    if (!scrolled || !area) return;
    for (const { dataset, offsetHeight } of area.querySelectorAll<HTMLElement>(":scope > [data-card]")) {
      heights.current.set(dataset.card ?? "", offsetHeight);
    }
    const top = scrolled.scrollTop - area.offsetTop;
    const [from, to] = [top - aheadPx, top + scrolled.clientHeight + aheadPx];
    let [first, end, y] = [0, 0, 0];
    for (const { id } of latest.current) {
      const bottom = y + heightOf(heights.current, id, likelyPx);
      if (bottom < from) first++;
      if (y < to) end++;
      y = bottom;
    }
    first -= first % stepCards;
    end += stepCards - (end % stepCards);
    setPart((now) => {
      if (now.first === first && now.end === end) return now;
      const used = area.querySelectorAll<HTMLElement>(":scope > :focus-within, :scope > [data-dragged]");
      return { first, end, inUse: [...used].map(({ dataset }) => dataset.card ?? "") };
    });
  }, [list, items, likelyPx]);

  useEffect(() => {
    const [scrolled, area] = [list.current, items.current];
    if (!scrolled || !area) return;
    // In a later frame than the resize. The extra cards cover the difference until then.
    let leave: (() => void) | undefined;
    const resized = new ResizeObserver(() => {
      leave ??= afterNextFrame(() => {
        leave = undefined;
        update();
      });
    });
    for (const element of [scrolled, area]) resized.observe(element);
    scrolled.addEventListener("scroll", update, { passive: true });
    return () => {
      leave?.();
      resized.disconnect();
      scrolled.removeEventListener("scroll", update);
    };
  }, [list, items, update]);

  useEffect(() => {
    const layOutAll = () => flushSync(() => setPart({ first: 0, end: Number.POSITIVE_INFINITY, inUse: [] }));
    addEventListener("beforeprint", layOutAll);
    addEventListener("afterprint", update);
    return () => {
      removeEventListener("beforeprint", layOutAll);
      removeEventListener("afterprint", update);
    };
  }, [update]);

  useEffect(() => {
    layOut.set(column.id, (ticketId, act) => {
      awaited.current = { ticketId, act };
      setPart((now) => ({ ...now, inUse: [...now.inUse, ticketId] }));
    });
    return () => void layOut.delete(column.id);
  }, [column.id]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once the card is laid out
  useLayoutEffect(() => {
    const { ticketId = "", act } = awaited.current ?? {};
    awaited.current = undefined;
    const element = document.getElementById(cardElementId(ticketId));
    if (element) act?.(element);
  }, [part]);

  const places: Place[] = [];
  let roomPx = 0;
  let counted = 0;
  for (const [index, card] of column.cards.entries()) {
    const isNear = counted >= part.first && counted < part.end;
    const isLaidOut = isNear || card.id === carriedId || part.inUse.includes(card.id);
    if (card.id !== extraId) counted++;
    if (!isLaidOut) {
      roomPx += heightOf(heights.current, card.id, likelyPx);
      continue;
    }
    places.push({ card, index, roomPx });
    roomPx = 0;
  }
  return { places, roomBelowPx: roomPx };
}

const heightOf = (heights: ReadonlyMap<string, number>, ticketId: string, likelyPx?: number) =>
  heights.get(ticketId) ?? likelyPx ?? (isCompact() ? compactHeightPx : likelyHeightPx);
