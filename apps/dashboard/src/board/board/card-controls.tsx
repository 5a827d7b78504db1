import type { Card } from "@lodge/contract/dashboard/boards";
import { Check } from "lucide-react";
import type { ComponentProps } from "react";
import { IconButton } from "../../ui/button.tsx";
import { openedBy } from "../../ui/popup.tsx";
import { cardElementId } from "./laid-out-cards.ts";
import type { OpenMenu } from "./menu-of-cards.tsx";
import type { Select } from "./use-selection.ts";

/**
 * The link of a card on its board: a click opens the card there, or selects up to it with Shift. Not the router's link:
 * hundreds of those would each look at every change of the address.
 */
export const cardLink = (
  id: string,
  { searchText, selected, select, openCard }: CardLinkProps,
): ComponentProps<"a"> => ({
  id: cardElementId(id),
  href: `/tickets/${id}${searchText}`,
  "aria-describedby": `card-keys${selected ? " card-selected" : ""}`,
  onClick: (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return; // the browser opens a tab, or keeps it
    event.preventDefault();
    if (event.shiftKey) select(id, "range");
    else openCard(id);
  },
  onMouseDown: (event) => event.shiftKey && event.preventDefault(), // which would mark text
});

type CardLinkProps = {
  searchText: string;
  selected: boolean;
  select: Select;
  openCard: (ticketId: string) => void;
};

/** Selects a card, or with Shift all up to it. */
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
      tabIndex={-1} // X does it from the card
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

/** Opens the menu of a card. */
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
