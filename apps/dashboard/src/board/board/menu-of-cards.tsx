import type { Card } from "@lodge/contract/dashboard/boards";
import { type ComponentProps, type Ref, useImperativeHandle, useState } from "react";
import type { Opened } from "../../ui/popup.tsx";
import { DeleteCards } from "../ticket/delete-cards.tsx";
import { CardMenu } from "./card-menu.tsx";
import { keepFocusNear } from "./laid-out-cards.ts";

/** The handle that opens the menu of a card. */
export type OpenMenu = (card: Card, opened: Opened) => void;

/** The one menu for all cards. It keeps the card itself, so that opening it does not render the board. */
export function MenuOfCards({
  ref,
  ...menu
}: Omit<ComponentProps<typeof CardMenu>, "card" | "opened" | "remove" | "close"> & { ref: Ref<OpenMenu> }) {
  const [shown, setShown] = useState<{ card: Card; opened: Opened }>();
  const [deleting, setDeleting] = useState<Card>();
  useImperativeHandle(ref, () => (card, opened) => setShown({ card, opened }), []);
  return (
    <>
      {shown && (
        <CardMenu {...menu} {...shown} remove={() => setDeleting(shown.card)} close={() => setShown(undefined)} />
      )}
      {deleting && (
        <DeleteCards
          boardId={menu.board.id}
          cards={[deleting]}
          focus={keepFocusNear}
          close={() => setDeleting(undefined)}
        />
      )}
    </>
  );
}
