import { type KeyboardEvent, type PointerEvent, type ReactNode, useLayoutEffect, useRef } from "react";

/** The distances from the anchor and from the edges of the window, in pixels. */
const gapPx = 4;
const marginPx = 8;
/** The time after a letter in which the next one belongs to the same word. */
const wordMs = 500;

/** The anchor of a popup, and whether a key opened it: then its first item gets the focus. */
export type Opened = { anchor: HTMLElement; byKeys: boolean };

/** How a popup opens, from a click on its button. Clicks without a pointer come from the keyboard. */
export const openedBy = ({ currentTarget, detail }: { currentTarget: HTMLElement; detail: number }): Opened => ({
  anchor: currentTarget,
  byKeys: detail === 0,
});

/**
 * A popup next to `anchor`, above everything else. It has the focus until it closes, then returns it to `returnTo`.
 * Escape, Tab out of it, and a press outside close it. In a menu or list, the arrow keys, Home, End, first letters and
 * the pointer move between items. It is not rendered in a portal, so that it belongs to the dialog around it.
 */
export function Popup({
  anchor,
  byKeys,
  returnTo = anchor,
  role,
  id,
  label,
  align = "start",
  asWide = false,
  heightMaxPx = Number.POSITIVE_INFINITY,
  close,
  className = "",
  children,
}: Opened & {
  returnTo?: HTMLElement;
  role: "menu" | "listbox" | "dialog";
  id?: string;
  label: string;
  /** Which side is aligned with the anchor. */
  align?: "start" | "end";
  /** Whether it is at least as wide as its anchor. */
  asWide?: boolean;
  heightMaxPx?: number;
  close: () => void;
  className?: string;
  children: ReactNode;
}) {
  const popup = useRef<HTMLDivElement>(null);
  const typed = useRef({ word: "", at: 0 });
  const latest = useRef(close);
  useLayoutEffect(() => {
    latest.current = close;
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: the anchor and the way of opening never change
  useLayoutEffect(() => {
    const element = popup.current;
    if (!element) return;
    const put = () => place(element, anchor, { align, asWide, heightMaxPx });
    const isBeside = ({ target }: Event) =>
      target instanceof Node && !element.contains(target) && !anchor.contains(target);
    const onPress = (event: Event) => isBeside(event) && latest.current();
    const onScroll = ({ target }: Event) => target instanceof Node && target.contains(anchor) && put();
    element.showPopover();
    put();
    (first(element, role, byKeys) ?? element).focus({ preventScroll: role === "dialog" });
    document.addEventListener("pointerdown", onPress, true);
    document.addEventListener("scroll", onScroll, { capture: true, passive: true });
    addEventListener("resize", put);
    return () => {
      document.removeEventListener("pointerdown", onPress, true);
      document.removeEventListener("scroll", onScroll, true);
      removeEventListener("resize", put);
      if (element.contains(document.activeElement)) returnTo.focus({ preventScroll: true });
    };
  }, []);

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.key === "Escape") close();
    else if (role === "dialog") return;
    else if (event.key === "Tab") {
      returnTo.focus({ preventScroll: true }); // so that Tab continues from there
      return close();
    } else if (event.ctrlKey || event.metaKey || event.altKey) return;
    else {
      const item = itemFor(event.key, event.currentTarget, typed.current);
      if (!item) return;
      item.focus();
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const onPointerMove = ({ target, currentTarget, pointerType }: PointerEvent<HTMLDivElement>) => {
    if (role === "dialog" || pointerType === "touch" || !(target instanceof Element)) return;
    const item = target.closest<HTMLElement>(itemSelector) ?? currentTarget;
    if (item !== document.activeElement) item.focus({ preventScroll: true });
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: `role` is always set
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: all of its roles can have a name
    <div
      ref={popup}
      popover="manual"
      id={id}
      role={role}
      aria-label={label}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      onPointerMove={onPointerMove}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (relatedTarget && !currentTarget.contains(relatedTarget) && !anchor.contains(relatedTarget)) close();
      }}
      className={`inset-auto cursor-default overflow-y-auto rounded-lg border border-line bg-raised text-left text-base font-normal whitespace-normal text-ink shadow-float outline-none ${className}`}
    >
      {children}
    </div>
  );
}

const itemSelector = "[role^=menuitem], [role=option]";

const itemsOf = (popup: HTMLElement) => [...popup.querySelectorAll<HTMLElement>(`:is(${itemSelector}):enabled`)];

/** The item to focus first: the chosen one, or the first if a key opened the popup. */
function first(popup: HTMLElement, role: string, byKeys: boolean): HTMLElement | null | undefined {
  if (role === "dialog") return byKeys ? popup.querySelector<HTMLElement>("input, button") : undefined;
  return popup.querySelector<HTMLElement>("[aria-selected=true]") ?? (byKeys ? itemsOf(popup)[0] : undefined);
}

/** The item that a key moves to. */
function itemFor(key: string, popup: HTMLElement, typed: { word: string; at: number }): HTMLElement | undefined {
  const items = itemsOf(popup);
  const index = items.indexOf(document.activeElement as HTMLElement);
  if (key === "ArrowDown") return items[(index + 1) % items.length];
  if (key === "ArrowUp") return items.at(index <= 0 ? -1 : index - 1);
  if (key === "Home") return items[0];
  if (key === "End") return items.at(-1);
  const now = Date.now();
  const goesOn = now - typed.at < wordMs;
  if (key.length !== 1 || (key === " " && !(goesOn && typed.word))) return undefined;
  // The same letter again moves to the next item that begins with it.
  typed.word = !goesOn || typed.word === key ? key : typed.word + key;
  typed.at = now;
  const word = typed.word.toLowerCase();
  const from = index + (word.length === 1 ? 1 : 0);
  return [...items.slice(from), ...items.slice(0, from)].find(({ textContent }) =>
    textContent.trim().toLowerCase().startsWith(word),
  );
}

function place(
  popup: HTMLElement,
  anchor: HTMLElement,
  { align, asWide, heightMaxPx }: { align: "start" | "end"; asWide: boolean; heightMaxPx: number },
) {
  const { style } = popup;
  const { clientWidth, clientHeight } = document.documentElement;
  const at = anchor.getBoundingClientRect();
  style.maxHeight = `${heightMaxPx}px`;
  if (asWide) style.minWidth = `${at.width}px`;
  const { offsetWidth, offsetHeight } = popup;
  const roomBelow = clientHeight - at.bottom - gapPx - marginPx;
  const roomAbove = at.top - gapPx - marginPx;
  const fits = offsetHeight <= Math.max(roomBelow, roomAbove);
  const isBelow = offsetHeight <= roomBelow;
  const left = align === "start" ? at.left : at.right - offsetWidth;
  style.left = `${Math.max(marginPx, Math.min(left, clientWidth - offsetWidth - marginPx))}px`;
  if (!fits) {
    // Cover the anchor rather than be cut off.
    style.top = `${Math.max(marginPx, clientHeight - offsetHeight - marginPx)}px`;
    style.bottom = "auto";
    style.maxHeight = `${Math.min(heightMaxPx, clientHeight - 2 * marginPx)}px`;
    return;
  }
  // Above the anchor, position it by its bottom edge, so that it can grow.
  style.top = isBelow ? `${at.bottom + gapPx}px` : "auto";
  style.bottom = isBelow ? "auto" : `${clientHeight - at.top + gapPx}px`;
  style.maxHeight = `${Math.min(heightMaxPx, isBelow ? roomBelow : roomAbove)}px`;
}
