import type { App, CreateApp } from "@lodge/contract/dashboard/apps";
import { appsMax } from "@lodge/contract/limits";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import { recordAudit } from "../../people/audit/record-audit.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { slugOf } from "../../platform/slug.ts";
import { makeSdkKey } from "./sdk-key.ts";
import { readApp } from "./show-app.ts";

/** Creates an app, with a slug derived from its name, and its first SDK key. Throws `too_many`. */
export function createApp(deps: Deps, actor: Actor, { name }: CreateApp): Promise<App> {
  const { organisationId } = actor;
  return deps.db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('lodge apps ' || ${organisationId}, 0))`.execute(tx);
    const others = await tx
      .selectFrom("apps")
      .select("slug")
      .where("organisation_id", "=", organisationId)
      .where("deleted_at", "is", null)
      .execute();
    if (others.length >= appsMax) throw new Refusal("too_many");
    const taken = others.map((other) => other.slug);
    const now = deps.clock.now();
    const { id, slug } = await tx
      .insertInto("apps")
      .values({ organisation_id: organisationId, name, slug: slugOf(name, "app", taken), created_at: now })
      .returning(["id", "slug"])
      .executeTakeFirstOrThrow();
    await tx
      .insertInto("sdk_keys")
      .values({ app_id: id, name: "default", key: makeSdkKey(), created_at: now })
      .execute();
    await recordAudit(tx, actor, now, "app.created", { app: name, slug });
    await publish(tx, organisationId, { kind: "apps.changed" });
    return readApp(deps, tx, actor, id);
  });
}
