import type { Card } from "@lodge/contract/dashboard/boards";

/** How urgent a card is. */
export type Priority = Card["priority"];

/** The colours of each priority, the lowest first: of the edge of its card, and of its sign and text. */
export const priorityColours: Record<Priority, { edge: string; text: string }> = {
  none: { edge: "", text: "text-muted" },
  low: { edge: "before:bg-line-strong/50", text: "text-muted" },
  medium: { edge: "before:bg-warn", text: "text-muted" },
  high: { edge: "before:bg-danger", text: "text-danger-ink" },
};

/** The colours of a label on a card. */
export const labelColours = "bg-hover text-ink";
