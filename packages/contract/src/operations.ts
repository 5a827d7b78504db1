import * as apiproblems from "./apiproblems.ts";
import * as attachments from "./attachments.ts";
import * as access from "./dashboard/access.ts";
import * as apps from "./dashboard/apps.ts";
import * as dashboardAttachments from "./dashboard/attachments.ts";
import * as boards from "./dashboard/boards.ts";
import * as deliveries from "./dashboard/deliveries.ts";
import * as erasures from "./dashboard/erasures.ts";
import * as events from "./dashboard/events.ts";
import * as factors from "./dashboard/factors.ts";
import * as hooks from "./dashboard/hooks.ts";
import * as images from "./dashboard/images.ts";
import * as imports from "./dashboard/imports.ts";
import * as inbox from "./dashboard/inbox.ts";
import * as insights from "./dashboard/insights.ts";
import * as labels from "./dashboard/labels.ts";
import * as notices from "./dashboard/notices.ts";
import * as organisation from "./dashboard/organisation.ts";
import * as passkeys from "./dashboard/passkeys.ts";
import * as providers from "./dashboard/providers.ts";
import * as regrouping from "./dashboard/regrouping.ts";
import * as relations from "./dashboard/relations.ts";
import * as releases from "./dashboard/releases.ts";
import * as runs from "./dashboard/runs.ts";
import * as search from "./dashboard/search.ts";
import * as subscribers from "./dashboard/subscribers.ts";
import * as threads from "./dashboard/threads.ts";
import * as dashboardTickets from "./dashboard/tickets.ts";
import * as tokens from "./dashboard/tokens.ts";
import * as trash from "./dashboard/trash.ts";
import * as usage from "./dashboard/usage.ts";
import * as dashboardWork from "./dashboard/work.ts";
import * as envelope from "./envelope.ts";
import * as apiEvents from "./events.ts";
import * as mcp from "./mcp.ts";
import type { Operation } from "./operation.ts";
import * as projects from "./projects.ts";
import * as replies from "./replies.ts";
import * as runners from "./runners.ts";
import * as sentry from "./sentry.ts";
import * as sourceMaps from "./sourcemaps.ts";
import * as tickets from "./tickets.ts";
import * as apiTokens from "./tokens.ts";

/** The modules of the contract that have operations, by their import path. */
export const modules = {
  tickets,
  attachments,
  projects,
  tokens: apiTokens,
  apiproblems,
  mcp,
  events: apiEvents,
  envelope,
  sentry,
  sourcemaps: sourceMaps,
  replies,
  runners,
  "dashboard/access": access,
  "dashboard/apps": apps,
  "dashboard/attachments": dashboardAttachments,
  "dashboard/boards": boards,
  "dashboard/deliveries": deliveries,
  "dashboard/erasures": erasures,
  "dashboard/events": events,
  "dashboard/hooks": hooks,
  "dashboard/factors": factors,
  "dashboard/passkeys": passkeys,
  "dashboard/providers": providers,
  "dashboard/regrouping": regrouping,
  "dashboard/relations": relations,
  "dashboard/releases": releases,
  "dashboard/images": images,
  "dashboard/imports": imports,
  "dashboard/inbox": inbox,
  "dashboard/insights": insights,
  "dashboard/labels": labels,
  "dashboard/search": search,
  "dashboard/notices": notices,
  "dashboard/organisation": organisation,
  "dashboard/runs": runs,
  "dashboard/subscribers": subscribers,
  "dashboard/threads": threads,
  "dashboard/tickets": dashboardTickets,
  "dashboard/work": dashboardWork,
  "dashboard/tokens": tokens,
  "dashboard/trash": trash,
  "dashboard/usage": usage,
} as const;

const isOperation = (value: unknown): value is Operation =>
  typeof value === "object" && value !== null && "id" in value && "answers" in value;

/** Every operation of the server, with its module. */
export const operations: readonly { operation: Operation; module: keyof typeof modules }[] = Object.entries(
  modules,
).flatMap(([module, exports]) =>
  Object.values(exports)
    .filter(isOperation)
    .map((operation) => ({ operation, module: module as keyof typeof modules })),
);
