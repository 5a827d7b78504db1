import * as hooks from "@lodge/contract/dashboard/hooks";
import * as notices from "@lodge/contract/dashboard/notices";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { chooseNotices, readNoticeChoices } from "./choose-notices.ts";
import { changeHook, createHook, deleteHook, listHooks, rotateHookSecret } from "./hooks.ts";
import { listNotices } from "./list-notices.ts";
import { countUnread, readNotices } from "./read-notices.ts";

/** The notifications of a member, and which of them are also sent elsewhere. */
export function noticeRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, notices.listNotices, ({ actor, query }) => listNotices(deps, actor, query));
  serve(app, notices.countNotices, async ({ actor: { organisationId, userId } }) => ({
    unreadCount: await countUnread(deps.db, organisationId, userId),
  }));
  serve(app, notices.getNoticeChoices, ({ actor }) => readNoticeChoices(deps, actor));
  serve(app, notices.changeNoticeChoices, ({ actor, body }) => chooseNotices(deps, actor, body));
  serve(app, hooks.listHooks, ({ actor }) => listHooks(deps, actor));
  serve(app, hooks.createHook, ({ actor, body }) => createHook(deps, actor, body));
  serve(app, hooks.changeHook, ({ actor, params, body }) => changeHook(deps, actor, params.hookId, body));
  serve(app, hooks.rotateHookSecret, ({ actor, params }) => rotateHookSecret(deps, actor, params.hookId));
  serve(app, hooks.deleteHook, ({ actor, params }) => deleteHook(deps, actor, params.hookId));
  serve(app, notices.readNotices, ({ actor, body }) => readNotices(deps, actor, body));
}
