import type { Mutation } from "@tanstack/react-query";
import { useEffect } from "react";
import { queryClient } from "../api/client.ts";
import { shownTicketIds, ticketIdOf, withCard } from "../board/board/laid-out-cards.ts";
import { askForField, type CardField, showField } from "../board/ticket/asked-field.ts";
import { showOverlay } from "../ui/overlay.ts";
import { areSingleKeysOn } from "../ui/single-keys.ts";
import { undoLast } from "../ui/toasts.tsx";

/** Elements that handle keys themselves. */
const taken =
  "input, textarea, select, [contenteditable], [role=menu], [role=listbox], [role=dialog]:not(.card-panel), [role=alertdialog]";

/** Handles the shortcuts in `keys` while the component is mounted. */
export function useKeys() {
  useEffect(() => {
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}

function onKeyDown(event: KeyboardEvent) {
  if (event.defaultPrevented || event.isComposing) return;
  const command = event.metaKey || event.ctrlKey;
  if (command && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
    event.preventDefault();
    return showOverlay("search");
  }
  if (command && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "z") {
    // In a field the browser undoes typing; in a dialog the person would not see the change on the page behind.
    if (!(event.target as Element).closest(taken)) undo(event);
    return;
  }
  if (command || event.altKey || !areSingleKeysOn() || (event.target as Element).closest(taken)) return;
  const act = actions[event.key.toLowerCase()];
  if (!act) return;
  event.preventDefault(); // so that the letter is not typed into the field that gets the focus
  act();
}

/** Undoes the last change, after all pending changes are saved. */
function undo(event: KeyboardEvent) {
  event.preventDefault();
  const inOrder = { predicate: ({ options }: Mutation) => options.scope !== undefined };
  if (queryClient.isMutating(inOrder) === 0) return void undoLast();
  const stop = queryClient.getMutationCache().subscribe(() => {
    if (queryClient.isMutating(inOrder) > 0) return;
    stop();
    setTimeout(undoLast); // after the message with its undo is registered
  });
}

const actions: Record<string, () => void> = {
  "?": () => showOverlay("keys"),
  "/": () => {
    const field = document.querySelector<HTMLInputElement>("search input");
    if (field) field.focus();
    else showOverlay("search");
  },
  c: () => document.querySelector<HTMLElement>("[aria-keyshortcuts=c]")?.click(),
  j: () => goBy(1),
  k: () => goBy(-1),
  e: () => goToField("description"),
  a: () => goToField("assignee"),
  p: () => goToField("priority"),
  l: () => goToField("labels"),
  r: () => goToField("comment"),
  m: () => {
    if (actOnSelected("column")) return;
    const card = document.activeElement?.closest("[data-card]");
    if (card) card.querySelector<HTMLElement>("[aria-haspopup=menu]")?.click();
    else goToField("column");
  },
};

/** Opens a menu of the selection bar. False if no cards are selected. */
function actOnSelected(field: CardField): boolean {
  const button = document.getElementById(`selected-${field}`);
  button?.click();
  return button !== null;
}

const isCardOpen = () => document.querySelector(".card-panel") !== null;

/** All visible cards, and the index of the focused or else the open one. */
function shownCards() {
  const ids = shownTicketIds();
  const focused = document.activeElement && ids.indexOf(ticketIdOf(document.activeElement) ?? "");
  return {
    ids,
    index: focused !== null && focused >= 0 ? focused : ids.findIndex((id) => location.pathname === `/tickets/${id}`),
  };
}

function goBy(step: number) {
  const { ids, index } = shownCards();
  const ticketId = ids[index < 0 ? 0 : index + step];
  if (!ticketId) return;
  withCard(ticketId, (card) => {
    card.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (isCardOpen()) card.click();
    else card.focus();
  });
}

/** Opens a field of the open card, or opens the focused card and then its field. */
function goToField(field: CardField) {
  if (actOnSelected(field)) return;
  if (isCardOpen()) return showField(field);
  const { ids, index } = shownCards();
  const ticketId = ids[index];
  if (!ticketId) return;
  askForField(field);
  withCard(ticketId, (card) => card.click());
}
