import * as relations from "@lodge/contract/dashboard/relations";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { listNumberedCards } from "./list-numbered-cards.ts";
import { listRelations } from "./list-relations.ts";
import { makeTaskCard } from "./make-task-card.ts";
import { relateTickets } from "./relate-tickets.ts";
import { removeRelation } from "./remove-relation.ts";

/** Relations between tickets, their numbers in texts, and tasks that become tickets. */
export function relationRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, relations.listRelations, ({ actor, params }) =>
    listRelations(deps, actor.organisationId, params.ticketId),
  );
  serve(app, relations.relateTickets, ({ actor, params, body }) => relateTickets(deps, actor, params.ticketId, body));
  serve(app, relations.removeRelation, ({ actor, params }) =>
    removeRelation(deps, actor, params.ticketId, params.otherId),
  );
  serve(app, relations.listNumberedCards, ({ actor, query }) => listNumberedCards(deps, actor.organisationId, query));
  serve(app, relations.makeTaskCard, ({ actor, params, body }) => makeTaskCard(deps, actor, params.ticketId, body));
}
