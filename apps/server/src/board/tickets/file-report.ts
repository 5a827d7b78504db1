import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { writeTicket } from "./write-ticket.ts";

/** A report to file as a card. `columnId` null means the leftmost column of the board. */
export type ReportCard = {
  organisationId: string;
  boardId: string | null;
  columnId: string | null;
  title: string;
  message: string;
  /** The URL of the whole report. */
  url: string;
  authorName: string;
  appId: string;
  eventId: string;
  deliveryId: string;
};

const descriptionLengthMax = 20_000;

/** The description of a card: a message, cut to leave room for the link after it. */
export function withLink(message: string, url: string): string {
  const link = `\n\n${url}`;
  const room = descriptionLengthMax - link.length;
  const points = [...message];
  return `${points.length > room ? `${points.slice(0, room - 1).join("")}…` : message}${link}`.trim();
}

/**
 * Files a card for a report, once for each delivery however often it is called. Title and message must be valid for
 * storage; a message is cut to leave room for the link. Returns false if the board has no such column.
 */
export async function fileReport(deps: Deps, card: ReportCard): Promise<boolean> {
  if (card.boardId === null) return false;
  const { organisationId, appId: id, authorName: name, eventId, deliveryId } = card;
  try {
    await writeTicket(
      deps,
      { kind: "app", organisationId, id, name, eventId, deliveryId },
      {
        title: card.title,
        description: withLink(card.message, card.url),
        boardId: card.boardId,
        columnId: card.columnId ?? undefined,
      },
    );
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.code === "column_not_found") return false;
    throw error;
  }
}
