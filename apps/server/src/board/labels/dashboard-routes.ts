import * as labels from "@lodge/contract/dashboard/labels";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { changeLabel } from "./change-label.ts";
import { deleteLabel } from "./delete-label.ts";
import { listLabels } from "./list-labels.ts";
import { mergeLabel } from "./merge-label.ts";

/** The labels of the organisation. */
export function labelRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, labels.listLabels, ({ actor, query }) => listLabels(deps, actor, query));
  serve(app, labels.changeLabel, ({ actor, body }) => changeLabel(deps, actor, body));
  serve(app, labels.mergeLabel, ({ actor, body }) => mergeLabel(deps, actor, body));
  serve(app, labels.deleteLabel, ({ actor, body }) => deleteLabel(deps, actor, body));
}
