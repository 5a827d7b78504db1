import * as notices from "@lodge/contract/dashboard/notices";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../platform/deps.ts";
import { serve } from "../platform/http/serve.ts";
import { listNotices } from "./list-notices.ts";
import { readNotices } from "./read-notices.ts";

/** What a member is to be told. */
export function noticeRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, notices.listNotices, ({ actor, query }) => listNotices(deps, actor, query));
  serve(app, notices.readNotices, ({ actor, body }) => readNotices(deps, actor, body));
}
