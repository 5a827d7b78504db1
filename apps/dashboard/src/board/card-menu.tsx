import { Menu } from "@base-ui/react/menu";
import type { Card } from "@lodge/contract/dashboard/boards";
import type { TicketChange } from "@lodge/contract/dashboard/tickets";
import { Archive, CheckSquare, Link2, Trash2 } from "lucide-react";
import { useState } from "react";
import type { LoadedBoard as Board } from "../api/patch-board.ts";
import { askForField } from "../ticket/asked-field.ts";
import { FieldItems } from "../ticket/field-items.tsx";
import { MenuGroup, MenuItem, MenuLine, MenuPopup } from "../ui/menu.tsx";
import { tellDone, tellFailed } from "../ui/toasts.tsx";
import { useNextFrame } from "../ui/use-next-frame.ts";
import { findCard, type Move, moveTo } from "./move-card.ts";
import { DeleteCards } from "./selection-bar.tsx";
import type { Select } from "./use-selection.ts";

/** As high as the items and lines that come a frame later, so that the menu is where they fit. */
const restClass = "h-[25.6875rem]";

/** What can be done with a card without opening it; moving it is among it, for whoever does not drag. */
export function CardMenu({
  board,
  card,
  anchor,
  move,
  change,
  select,
  openCard,
  close,
}: {
  board: Board;
  card: Card;
  anchor: HTMLElement;
  move: (move: Move) => void;
  change: (changes: TicketChange[], done: string) => void;
  select: Select;
  openCard: (ticketId: string) => void;
  close: () => void;
}) {
  const [deleting, setDeleting] = useState(false);
  // The whole of it takes longer to make than a frame: where a card can be moved to shows first.
  const isTime = useNextFrame();
  const found = findCard(board, card.id);
  if (!found) return null;
  const { column, index } = found;
  const moveInColumn = (place: number) => move(moveTo(board, card.id, column.id, place));
  /** Does it, and closes the menu: the one that asks first stays until it is answered. */
  const and = (act: () => void) => () => {
    act();
    close();
  };
  const copyLink = async () => {
    try {
      await navigator.clipboard.writeText(`${location.origin}/tickets/${card.id}`);
      tellDone("Link copied");
    } catch {
      tellFailed("The browser does not allow copying here: open the card and copy its address");
    }
  };
  if (deleting) return <DeleteCards boardId={board.id} cards={[card]} close={close} />;
  return (
    <Menu.Root open onOpenChange={(open, { reason }) => !open && reason !== "item-press" && close()}>
      <MenuPopup anchor={anchor}>
        <MenuGroup label="Move to" shortcut="M">
          {board.columns
            .filter(({ id }) => id !== column.id)
            .map(({ id, name }) => (
              <MenuItem key={id} onClick={and(() => move({ ticketId: card.id, columnId: id, belowTicketId: null }))}>
                <span className="truncate">{name}</span>
              </MenuItem>
            ))}
        </MenuGroup>
        {isTime ? (
          <>
            <MenuLine />
            <MenuItem disabled={index === 0} onClick={and(() => moveInColumn(0))}>
              Move to the top
            </MenuItem>
            <MenuItem disabled={index === 0} onClick={and(() => moveInColumn(index - 1))}>
              Move up
            </MenuItem>
            <MenuItem disabled={index === column.cards.length - 1} onClick={and(() => moveInColumn(index + 1))}>
              Move down
            </MenuItem>
            <MenuLine />
            <FieldItems
              leave="column"
              lead={(field) => {
                askForField(field);
                close();
                openCard(card.id);
              }}
            />
            <MenuLine />
            <MenuItem shortcut="X" onClick={and(() => select(card.id, "switch"))}>
              <CheckSquare aria-hidden className="size-4" />
              Select
            </MenuItem>
            <MenuItem onClick={and(() => void copyLink())}>
              <Link2 aria-hidden className="size-4" />
              Copy the link
            </MenuItem>
            <MenuItem onClick={and(() => change([{ ticketId: card.id, archived: true }], "1 card archived"))}>
              <Archive aria-hidden className="size-4" />
              Archive
            </MenuItem>
            <MenuItem danger onClick={() => setDeleting(true)}>
              <Trash2 aria-hidden className="size-4" />
              Delete
            </MenuItem>
          </>
        ) : (
          <div className={restClass} />
        )}
      </MenuPopup>
    </Menu.Root>
  );
}
