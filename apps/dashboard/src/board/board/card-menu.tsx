import type { Card } from "@lodge/contract/dashboard/boards";
import type { TicketChange } from "@lodge/contract/dashboard/tickets";
import { Archive, CheckSquare, Link2, Trash2 } from "lucide-react";
import { useState } from "react";
import type { LoadedBoard as Board } from "../../api/patch-board.ts";
import { Menu, MenuGroup, MenuItem, MenuLine } from "../../ui/menu.tsx";
import type { Opened } from "../../ui/popup.tsx";
import { askForField } from "../ticket/asked-field.ts";
import { copyLink } from "../ticket/copy-link.ts";
import { FieldItems } from "../ticket/field-items.tsx";
import { keepFocusNear } from "./laid-out-cards.ts";
import { findCard, isSorted, type Move, moveTo } from "./move-card.ts";
import type { Select } from "./use-selection.ts";

/** The menu of a card on the board, including ways to move it without dragging. */
export function CardMenu({
  board,
  card,
  opened,
  move,
  change,
  select,
  openCard,
  remove,
  close,
}: {
  board: Board;
  card: Card;
  opened: Opened;
  move: (move: Move) => void;
  change: (changes: TicketChange[], done: string) => void;
  select: Select;
  openCard: (ticketId: string) => void;
  /** Asks for confirmation, then deletes the card. */
  remove: () => void;
  close: () => void;
}) {
  // If a key opened the menu, the focus returns to the card.
  const [from] = useState(() => document.activeElement);
  const found = findCard(board, card.id);
  if (!found) return null;
  const { column, index } = found;
  const isKept = isSorted(column);
  const moveAndStay = (wanted: Move) => {
    move(wanted);
    keepFocusNear([card.id]);
  };
  const moveInColumn = (place: number) => moveAndStay(moveTo(board, card.id, column.id, place));
  return (
    <Menu {...opened} {...(from instanceof HTMLElement && opened.byKeys && { returnTo: from })} close={close}>
      <MenuGroup label="Move to" shortcut="M">
        {board.columns
          .filter(({ id }) => id !== column.id)
          .map(({ id, name }) => (
            <MenuItem key={id} onClick={() => moveAndStay({ ticketId: card.id, columnId: id, belowTicketId: null })}>
              <span className="truncate">{name}</span>
            </MenuItem>
          ))}
      </MenuGroup>
      <MenuLine />
      <MenuItem disabled={index === 0 || isKept} onClick={() => moveInColumn(0)}>
        Move to the top
      </MenuItem>
      <MenuItem disabled={index === 0 || isKept} onClick={() => moveInColumn(index - 1)}>
        Move up
      </MenuItem>
      <MenuItem disabled={index === column.cards.length - 1 || isKept} onClick={() => moveInColumn(index + 1)}>
        Move down
      </MenuItem>
      <MenuLine />
      <FieldItems
        leave="column"
        lead={(field) => {
          askForField(field);
          openCard(card.id);
        }}
      />
      <MenuLine />
      <MenuItem shortcut="X" onClick={() => select(card.id, "switch")}>
        <CheckSquare aria-hidden className="size-4" />
        Select
      </MenuItem>
      <MenuItem onClick={() => void copyLink(`${location.origin}/tickets/${card.id}`)}>
        <Link2 aria-hidden className="size-4" />
        Copy link
      </MenuItem>
      <MenuItem onClick={() => change([{ ticketId: card.id, archived: true }], "1 card archived")}>
        <Archive aria-hidden className="size-4" />
        Archive
      </MenuItem>
      <MenuItem danger onClick={remove}>
        <Trash2 aria-hidden className="size-4" />
        Delete
      </MenuItem>
    </Menu>
  );
}
