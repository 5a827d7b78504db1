import { fileReport } from "../../tickets/file-report.ts";
import { summariseReport } from "../summarise-report.ts";
import type { Kind } from "./kinds.ts";

/** A card on a column of a board: one for a delivery, however often it is attempted. */
export const board: Kind = async ({ deps }, delivery) => {
  const { title, isUntitled, message, url } = summariseReport(deps, delivery);
  const filed = await fileReport(deps, {
    organisationId: delivery.organisationId,
    boardId: delivery.boardId,
    columnId: delivery.columnId,
    title: isUntitled ? `${delivery.appName}: ${title}` : title,
    message,
    url,
    authorName: delivery.appName,
    appId: delivery.appId,
    eventId: delivery.eventId,
    deliveryId: delivery.id,
  });
  return { status: null, response: null, reason: filed ? null : "The board has no column." };
};
