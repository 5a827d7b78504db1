import * as apps from "@lodge/contract/dashboard/apps";
import * as boards from "@lodge/contract/dashboard/boards";
import * as deliveries from "@lodge/contract/dashboard/deliveries";
import * as inbox from "@lodge/contract/dashboard/inbox";
import * as insights from "@lodge/contract/dashboard/insights";
import * as organisation from "@lodge/contract/dashboard/organisation";
import * as runs from "@lodge/contract/dashboard/runs";
import * as search from "@lodge/contract/dashboard/search";
import * as subscribers from "@lodge/contract/dashboard/subscribers";
import * as threads from "@lodge/contract/dashboard/threads";
import * as tickets from "@lodge/contract/dashboard/tickets";
import * as usage from "@lodge/contract/dashboard/usage";
import type { Operation } from "@lodge/contract/operation";
import type { FastifyInstance } from "fastify";
import type { Replicas } from "./platform/database/replicas.ts";

/**
 * The lists that cost the database most. They write nothing except the missing numbers of cards. Access is always
 * checked on the primary.
 */
export const lists: readonly Operation[] = [
  apps.listRefusals,
  boards.listBoardFigures,
  boards.viewBoard,
  boards.listArchive,
  boards.listCards,
  boards.listBoardCards,
  deliveries.listEventDeliveries,
  inbox.listInboxes,
  inbox.viewInbox,
  inbox.listInboxChoices,
  inbox.getInboxHistogram,
  inbox.getProblem,
  inbox.listProblemEvents,
  insights.getBoardInsights,
  organisation.listAudit,
  runs.listRuns,
  search.searchCards,
  subscribers.listSubscriberDeliveries,
  threads.listThreads,
  tickets.listComments,
  tickets.listActivities,
  usage.getUsage,
];

/** Lets replicas answer the lists of routes that are registered afterwards. */
export function readFromReplicas(app: FastifyInstance, { read }: Replicas): void {
  app.addHook("onRoute", (route) => {
    const { handler } = route;
    if (!lists.some((list) => list === route.config?.operation)) return;
    route.handler = function (request, reply) {
      return read(async () => handler.call(this, request, reply));
    };
  });
}
