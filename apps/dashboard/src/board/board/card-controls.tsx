import type { Card } from "@lodge/contract/dashboard/boards";
import { Check } from "lucide-react";
import type { ComponentProps } from "react";
import { IconButton } from "../../ui/button.tsx";
import { openedBy } from "../../ui/popup.tsx";
import { cardElementId } from "./laid-out-cards.ts";
import type { OpenMenu } from "./menu-of-cards.tsx";
import type { Select } from "./use-selection.ts";

/**
 * The link of a card on its board. A click opens the card there; with Shift it selects a range. Not the router's link,
 * because hundreds of those would each react to every change of the URL.
 */
export const cardLink = (
  id: string,
  { searchText, selected, select, openCard }: CardLinkProps,
): ComponentProps<"a"> => ({
  id: cardElementId(id),
  href: `/tickets/${id}${searchText}`,
  "aria-describedby": `card-keys${selected ? " card-selected" : ""}`,
  onClick: (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return; // left to the browser: new tab, new window or download
    event.preventDefault();
    if (event.shiftKey) select(id, "range");
    else openCard(id);
  },
  onMouseDown: (event) => event.shiftKey && event.preventDefault(), // Shift would select text
});

type CardLinkProps = {
  searchText: string;
  selected: boolean;
  select: Select;
  openCard: (ticketId: string) => void;
};

/** Selects a card, or with Shift a range up to it. */
export function SelectButton({
  id,
  title,
  selected,
  select,
  className,
}: {
  id: string;
  title: string;
  selected: boolean;
  select: Select;
  className: string;
}) {
  return (
    <button
      type="button"
      tabIndex={-1} // on the keyboard, X on the card selects it
      aria-pressed={selected}
      aria-label={`Select ${title}`}
      title="Select (X)"
      onClick={(event) => select(id, event.shiftKey ? "range" : "switch")}
      className={`card-select items-center justify-center ${className}`}
    >
      <span
        className={`inline-flex size-4 items-center justify-center rounded-sm border ${
          selected ? "border-accent bg-accent text-on-accent" : "border-current"
        }`}
      >
        {selected && <Check aria-hidden className="size-3" />}
      </span>
    </button>
  );
}

/** The button that opens a card's menu. */
export function MoveButton({
  card,
  title,
  openMenu,
  className,
}: {
  card: Card;
  title: string;
  openMenu: OpenMenu;
  className: string;
}) {
  return (
    <IconButton
      label={`Move ${title}`}
      aria-haspopup="menu"
      onClick={(event) => openMenu(card, openedBy(event))}
      className={`card-action ${className}`}
    >
      <span aria-hidden className="text-xs tracking-tighter">
        •••
      </span>
    </IconButton>
  );
}
