import type { Card } from "@lodge/contract/dashboard/boards";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { isCollapsed } from "../../api/column-choices.ts";
import type { LoadedBoard, LoadedColumn } from "../../api/patch-board.ts";
import { isCompact, useCompact } from "../../ui/density.ts";
import { keepFocus } from "../../ui/keep-focus.ts";
import { afterNextFrame } from "../../ui/use-next-frame.ts";

/** The distance beyond the visible part of a column up to which cards are laid out, in pixels. */
const aheadPx = 250;
/** The assumed height of a card that was not laid out yet, in pixels. */
const likelyHeightPx = 104;
const compactHeightPx = 76;
/** By how many cards what is laid out grows, so that scrolling past each renders nothing. */
const stepCards = 4;

type Act = (element: HTMLElement) => void;

/** The board that is shown, and what lays a card of it out. */
let shownColumns: readonly LoadedColumn[] = [];
const layOut = new Map<string, (ticketId: string, act: Act) => void>();

/** The id of the element of a card that takes the focus. */
export const cardElementId = (ticketId: string) => `card-${ticketId}`;

/** Which card an element is that takes the focus of one. */
export const ticketIdOf = (element: EventTarget): string | undefined =>
  element instanceof Element && element.id.startsWith("card-") ? element.id.slice("card-".length) : undefined;

/** Does something with the element of a card that takes the focus, laying it out where it is not; nothing where no board shows it. */
export function withCard(ticketId: string, act: Act) {
  const element = document.getElementById(cardElementId(ticketId));
  if (element) return act(element);
  const column = shownColumns.find(({ cards }) => cards.some(({ id }) => id === ticketId));
  if (column) layOut.get(column.id)?.(ticketId, act);
}

/** Puts the focus on a card, where it is shown. */
export const focusCard = (ticketId: string) => withCard(ticketId, (element) => element.focus());

/** The cards of the board that is shown, column by column, each from the top. */
export const shownTicketIds = (): string[] =>
  shownColumns.flatMap(({ id: columnId, cards }) => (isCollapsed(columnId) ? [] : cards.map(({ id }) => id)));

/**
 * Keeps the focus on the board while these cards are moved, or leave it: where nothing has it any more, it goes to the first
 * of them that is shown, else to the card that came after them.
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

/** Makes the cards of a board known to what is not part of it. */
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

/** A card of a column or a list that is laid out, its place from the top, and the room of those above it that are not, in pixels. */
type Place = { card: Card; index: number; roomPx: number };

/**
 * The cards of a column that are laid out: those that are seen or about to be, and those that are in use, which have the
 * focus, are dragged or carried. The others leave their room: a browser that has hundreds of cards takes longer for
 * each frame, whether it shows them or not.
 */
export function useLaidOutCards(
  column: LoadedColumn,
  carriedId: string | undefined,
  /** A card that is laid out beside those that are seen: it is carried, and no other is to come or go as it leaves. */
  extraId: string | undefined,
  list: RefObject<HTMLElement | null>,
  items: RefObject<HTMLElement | null>,
  /** How high a card is taken to be before it was laid out, in pixels. */
  likelyPx?: number,
): { places: Place[]; roomBelowPx: number } {
  const [part, setPart] = useState({ first: 0, end: 4 * stepCards, inUse: [] as string[] });
  const heights = useRef(new Map<string, number>());
  const compact = useCompact();
  // biome-ignore lint/correctness/useExhaustiveDependencies: with another density, each card has another height
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
    // Not in the frame of what made it larger or smaller: some more are laid out than are seen.
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: once it is laid out
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
