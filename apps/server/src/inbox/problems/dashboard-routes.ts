import * as inbox from "@lodge/contract/dashboard/inbox";
import * as regrouping from "@lodge/contract/dashboard/regrouping";
import * as releases from "@lodge/contract/dashboard/releases";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { assignProblem } from "./assign-problem.ts";
import { changeProblem } from "./change-problem.ts";
import { applyRegrouping, getRegrouping, previewRegrouping, undoRegrouping } from "./change-regrouping.ts";
import { findEventPlace } from "./find-event-place.ts";
import { getEvent } from "./get-event.ts";
import { getInboxHistogram } from "./get-inbox-histogram.ts";
import { getProblem } from "./get-problem.ts";
import { getTicketReport } from "./get-ticket-report.ts";
import { listInboxChoices } from "./list-inbox-choices.ts";
import { listInboxes } from "./list-inboxes.ts";
import { listProblemEvents } from "./list-problem-events.ts";
import { listReleases } from "./list-releases.ts";
import { listTopProblems } from "./list-top-problems.ts";
import { makeEventCard, makeProblemCard } from "./make-report-card.ts";
import { mergeProblems, splitProblem } from "./regroup-problems.ts";
import { viewInbox } from "./view-inbox.ts";

/** The operations for inboxes, problems and events. */
export function inboxRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, inbox.listInboxes, ({ actor }) => listInboxes(deps, actor));
  serve(app, inbox.viewInbox, ({ actor, params, query }) => viewInbox(deps, actor, params.appId, query));
  serve(app, inbox.listInboxChoices, ({ actor, params }) => listInboxChoices(deps, actor, params.appId));
  serve(app, inbox.getInboxHistogram, ({ actor, params, query }) =>
    getInboxHistogram(deps, actor, params.appId, query),
  );
  serve(app, inbox.getProblem, ({ actor, params }) => getProblem(deps, actor, params.problemId));
  serve(app, inbox.listProblemEvents, ({ actor, params, query }) =>
    listProblemEvents(deps, actor, params.problemId, query),
  );
  serve(app, inbox.listTopProblems, ({ actor }) => listTopProblems(deps, actor));
  serve(app, releases.listReleases, ({ actor, params }) => listReleases(deps, actor, params.appId));
  serve(app, inbox.assignProblem, ({ actor, params, body }) =>
    assignProblem(deps, actor, params.problemId, body.userId),
  );
  serve(app, inbox.getEvent, ({ actor, params }) => getEvent(deps, actor, params.eventId));
  serve(app, inbox.changeProblem, ({ actor, params, body }) => changeProblem(deps, actor, params.problemId, body));
  serve(app, inbox.mergeProblems, ({ actor, params, body }) =>
    mergeProblems(deps, actor, params.problemId, body.problemIds),
  );
  serve(app, inbox.splitProblem, ({ actor, params, body }) => splitProblem(deps, actor, params.problemId, body.hashes));
  serve(app, regrouping.getRegrouping, ({ actor, params }) => getRegrouping(deps, actor, params.appId));
  serve(app, regrouping.previewRegrouping, ({ actor, params }) => previewRegrouping(deps, actor, params.appId));
  serve(app, regrouping.applyRegrouping, ({ actor, params }) => applyRegrouping(deps, actor, params.appId));
  serve(app, regrouping.undoRegrouping, ({ actor, params }) => undoRegrouping(deps, actor, params.appId));
  serve(app, inbox.makeProblemCard, ({ actor, params, body }) =>
    makeProblemCard(deps, actor, params.problemId, body.columnId),
  );
  serve(app, inbox.makeEventCard, ({ actor, params, body }) =>
    makeEventCard(deps, actor, params.eventId, body.columnId),
  );
  serve(app, inbox.getTicketReport, ({ actor, params }) => getTicketReport(deps, actor, params.ticketId));
  serve(app, inbox.getEventPlace, ({ signedIn, params }) => findEventPlace(deps, signedIn, params.eventId));
}
