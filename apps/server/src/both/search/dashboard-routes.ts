import * as search from "@lodge/contract/dashboard/search";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { searchCards } from "./search-cards.ts";

/** One search over the cards of every board and the problems of every app. */
export function searchRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, search.searchCards, ({ actor, query }) => searchCards(deps, actor, query));
}
