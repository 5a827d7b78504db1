import * as apps from "@lodge/contract/dashboard/apps";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { listSourceMaps } from "../source-maps/list-source-maps.ts";
import { changeApp } from "./change-app.ts";
import { createKey, revokeKeyOfApp, rotateKey } from "./change-keys.ts";
import { createApp } from "./create-app.ts";
import { deleteApp, previewAppDeletion } from "./delete-app.ts";
import { listApps } from "./list-apps.ts";
import { showApp } from "./show-app.ts";

/** Apps and their SDK keys: every member can see them; owners and admins can change them. */
export function dashboardAppRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, apps.listApps, ({ actor }) => listApps(deps, actor));
  serve(app, apps.createApp, ({ actor, body }) => createApp(deps, actor, body));
  serve(app, apps.getApp, ({ actor, params }) => showApp(deps, actor, params.appId));
  serve(app, apps.listAppSourceMaps, ({ actor, params }) =>
    listSourceMaps(deps, actor.organisationId, { id: params.appId }),
  );
  serve(app, apps.changeApp, ({ actor, params, body }) => changeApp(deps, actor, params.appId, body));
  serve(app, apps.previewAppDeletion, ({ actor, params }) => previewAppDeletion(deps, actor, params.appId));
  serve(app, apps.deleteApp, ({ actor, params }) => deleteApp(deps, actor, params.appId));
  serve(app, apps.createKey, ({ actor, params, body }) => createKey(deps, actor, params.appId, body));
  serve(app, apps.rotateKey, ({ actor, params, body }) => rotateKey(deps, actor, params, body));
  serve(app, apps.revokeKey, ({ actor, params }) => revokeKeyOfApp(deps, actor, params));
}
