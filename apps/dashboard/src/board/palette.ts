import type { Card } from "@lodge/contract/dashboard/boards";

/** How urgent a card is. */
export type Priority = Card["priority"];

/** The colour of each priority's sign and text, the lowest first. */
export const priorityColours: Record<Priority, string> = {
  none: "text-muted",
  low: "text-muted",
  medium: "text-warn-ink",
  high: "text-danger-ink",
};
