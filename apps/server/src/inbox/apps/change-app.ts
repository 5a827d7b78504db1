import type { App, ChangeApp } from "@lodge/contract/dashboard/apps";
import type { Actor } from "../../people/access/find-actor.ts";
import { recordAudit } from "../../people/audit/record-audit.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput } from "../../platform/errors.ts";
import { problemsOfApp } from "./check-app.ts";
import { lockApp } from "./lock-app.ts";
import { readApp, spikeOf } from "./show-app.ts";

const fields = ["name", "enabled", "replies", "tellsFixes", "origins", "settings", "spike", "sourceLines"] as const;

/**
 * Changes the settings of an app; SDKs see the change within a minute. The slug cannot change. Throws `app_not_found`
 * or `invalid_input`.
 */
export function changeApp(deps: Deps, actor: Actor, appId: string, wanted: ChangeApp): Promise<App> {
  const problems = problemsOfApp(wanted);
  if (problems.length > 0) throw invalidInput(problems.slice(0, 8));
  return deps.db.transaction().execute(async (tx) => {
    const found = await lockApp(tx, actor, appId);
    const before = {
      ...found,
      origins: found.allowed_origins ?? [],
      tellsFixes: found.tells_fixes,
      spike: spikeOf(found),
      sourceLines: found.source_lines,
    };
    const changed = fields.filter(
      (field) => wanted[field] !== undefined && JSON.stringify(wanted[field]) !== JSON.stringify(before[field]),
    );
    if (changed.length > 0) {
      const { origins, settings, tellsFixes, spike, sourceLines, ...others } = wanted;
      await tx
        .updateTable("apps")
        .set({
          ...others,
          ...(tellsFixes !== undefined && { tells_fixes: tellsFixes }),
          ...(origins && { allowed_origins: origins.length > 0 ? origins : null }),
          ...(settings && { settings: JSON.stringify(settings) }),
          ...(spike !== undefined && { spike_events: spike?.events ?? null, spike_minutes: spike?.minutes ?? null }),
          ...(sourceLines !== undefined && { source_lines: sourceLines }),
        })
        .where("organisation_id", "=", actor.organisationId)
        .where("id", "=", found.id)
        .execute();
      const changes = Object.fromEntries(changed.map((field) => [field, { from: before[field], to: wanted[field] }]));
      await recordAudit(tx, actor, deps.clock.now(), "app.changed", { app: found.name, changes });
      await publish(tx, actor.organisationId, { kind: "apps.changed" });
    }
    return readApp(deps, tx, actor, found.id);
  });
}
