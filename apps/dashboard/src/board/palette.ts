import type { Card } from "@lodge/contract/dashboard/boards";

/** The priority of a card. */
export type Priority = Card["priority"];

/** The colour of each priority's icon and text, lowest first. */
export const priorityColours: Record<Priority, string> = {
  none: "text-muted",
  low: "text-muted",
  medium: "text-warn-ink",
  high: "text-danger-ink",
};
