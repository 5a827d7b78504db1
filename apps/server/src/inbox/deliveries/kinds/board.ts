import { fileReportCard } from "../../problems/file-report-card.ts";
import { summariseReport } from "../summarise-report.ts";
import type { ActingKind } from "./kind.ts";

/**
 * Files a card on a column of a board: one for each problem, or for a report without a problem, however often it is
 * attempted.
 */
export const board: ActingKind = async (deps, delivery) => {
  const { title, isUntitled, message, url } = summariseReport(deps, delivery);
  const filed = await fileReportCard(deps, delivery.subscriberId, {
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
