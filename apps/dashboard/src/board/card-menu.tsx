import { Menu } from "@base-ui/react/menu";
import type { Card } from "@lodge/contract/dashboard/boards";
import { Link2 } from "lucide-react";
import type { LoadedBoard as Board } from "../api/patch-board.ts";
import { MenuGroup, MenuItem, MenuLine, MenuPopup } from "../ui/menu.tsx";
import { tellDone, tellFailed } from "../ui/toasts.tsx";
import { findCard, type Move, moveTo } from "./move-card.ts";

/** What can be done with a card without opening it; moving it is among it, for whoever does not drag. */
export function CardMenu({
  board,
  card,
  anchor,
  move,
  close,
}: {
  board: Board;
  card: Card;
  anchor: HTMLElement;
  move: (move: Move) => void;
  close: () => void;
}) {
  const found = findCard(board, card.id);
  if (!found) return null;
  const { column, index } = found;
  const moveInColumn = (place: number) => move(moveTo(board, card.id, column.id, place));
  const copyLink = async () => {
    try {
      await navigator.clipboard.writeText(`${location.origin}/tickets/${card.id}`);
      tellDone("Link copied");
    } catch {
      tellFailed("The browser does not allow copying here: open the card and copy its address");
    }
  };
  return (
    <Menu.Root open onOpenChange={(open) => !open && close()}>
      <MenuPopup anchor={anchor}>
        <MenuGroup label="Move to">
          {board.columns
            .filter(({ id }) => id !== column.id)
            .map(({ id, name }) => (
              <MenuItem key={id} onClick={() => move({ ticketId: card.id, columnId: id, belowTicketId: null })}>
                <span className="truncate">{name}</span>
              </MenuItem>
            ))}
        </MenuGroup>
        <MenuLine />
        <MenuItem disabled={index === 0} onClick={() => moveInColumn(0)}>
          Move to the top
        </MenuItem>
        <MenuItem disabled={index === 0} onClick={() => moveInColumn(index - 1)}>
          Move up
        </MenuItem>
        <MenuItem disabled={index === column.cards.length - 1} onClick={() => moveInColumn(index + 1)}>
          Move down
        </MenuItem>
        <MenuLine />
        <MenuItem onClick={() => void copyLink()}>
          <Link2 aria-hidden className="size-4" />
          Copy the link
        </MenuItem>
      </MenuPopup>
    </Menu.Root>
  );
}
