import type { InboxChoices } from "@lodge/contract/dashboard/inbox";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { requireApp } from "./require-app.ts";
import { toCounts } from "./to-counts.ts";

const choicesMax = 200;

/** The filters of an app's inbox. Throws `app_not_found`. */
export async function listInboxChoices(deps: Deps, actor: Actor, appId: string): Promise<InboxChoices> {
  const app = await requireApp(deps, actor, appId);
  const rows = await deps.db.selectFrom("app_facets").selectAll().where("app_id", "=", app.id).execute();
  return {
    environments: toCounts(rows, "environment:", "latest", choicesMax),
    versions: toCounts(rows, "version:", "latest", choicesMax),
    browsers: toCounts(rows, "browser:", "frequent", choicesMax),
    operatingSystems: toCounts(rows, "os:", "frequent", choicesMax),
    tags: toCounts(rows, "tag:", "frequent", choicesMax),
  };
}
