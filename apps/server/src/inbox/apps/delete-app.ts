import type { AppDeletion } from "@lodge/contract/dashboard/apps";
import { type RawBuilder, sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import { recordAudit, type Who } from "../../people/audit/record-audit.ts";
import type { Database, Transaction } from "../../platform/database/database.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Basics, Deps } from "../../platform/deps.ts";
import { OperatorError } from "../../platform/errors.ts";
import { deleteSubscribersOf } from "../subscribers/delete-subscriber.ts";
import { lockApp } from "./lock-app.ts";
import { readApp } from "./show-app.ts";

const countedMax = 10_000;

/** Counts what deleting an app would delete and keep. Throws `app_not_found`. */
export async function previewAppDeletion(deps: Deps, actor: Actor, appId: string): Promise<AppDeletion> {
  const { id } = await readApp(deps, deps.db, actor, appId);
  return countOf(deps.db, id);
}

/**
 * Deletes an app of the organisation: it disappears, its SDK keys are refused and its subscribers receive nothing, all
 * immediately. Its reports, problems and source maps are deleted afterwards, in steps; cards stay. Throws
 * `app_not_found`.
 */
export async function deleteApp(
  { db, clock }: Pick<Basics, "db" | "clock">,
  who: Who,
  appId: string,
): Promise<AppDeletion> {
  return db.transaction().execute(async (tx) => {
    const app = await lockApp(tx, who, appId);
    const counts = await countOf(tx, app.id);
    const now = clock.now();
    await tx.updateTable("apps").set({ deleted_at: now, enabled: false }).where("id", "=", app.id).execute();
    await tx.deleteFrom("sdk_keys").where("app_id", "=", app.id).execute();
    await deleteSubscribersOf(tx, app.id, now);
    await recordAudit(tx, who, now, "app.deleted", { app: app.name, slug: app.slug, ...counts });
    for (const kind of ["apps.changed", "subscribers.changed"] as const)
      await publish(tx, who.organisationId, { kind });
    return counts;
  });
}

/** As `deleteApp`, for the operator: by the slugs of the organisation and the app. */
export async function deleteAppNamed(
  deps: Pick<Basics, "db" | "clock">,
  organisation: string,
  slug: string,
): Promise<{ id: string } & AppDeletion> {
  const found = await deps.db
    .selectFrom("apps")
    .innerJoin("organisations", "organisations.id", "apps.organisation_id")
    .select(["apps.id", "apps.organisation_id"])
    .where("organisations.slug", "=", organisation)
    .where("apps.slug", "=", slug)
    .where("apps.deleted_at", "is", null)
    .executeTakeFirst();
  if (!found) throw new OperatorError(`There is no app "${slug}" in the organisation "${organisation}".`);
  const who = { organisationId: found.organisation_id, userId: null, name: "lodged apps delete" };
  return { id: found.id, ...(await deleteApp(deps, who, found.id)) };
}

/** Deletes the row of a deleted app once everything else of the app is deleted. */
export async function dropApp(db: Database, appId: string): Promise<void> {
  await db.deleteFrom("apps").where("id", "=", appId).where("deleted_at", "is not", null).execute();
}

async function countOf(db: Database | Transaction, appId: string): Promise<AppDeletion> {
  const count = (rowsToCount: RawBuilder<unknown>) => sql`(
      select count(*)::integer from (${rowsToCount} limit ${sql.lit(countedMax)}) counted)`;
  const { rows } = await sql<AppDeletion>`
    select ${count(sql`select from events where app_id = ${appId}`)} as "reportCount",
      ${count(sql`select from problems where app_id = ${appId}`)} as "problemCount",
      ${count(sql`select from subscribers where app_id = ${appId} and deleted_at is null`)} as "subscriberCount",
      ${count(sql`select from source_maps where app_id = ${appId} and not replaced`)} as "sourceMapCount",
      ${count(sql`select id from tickets where app_id = ${appId} and event_id is not null and column_id is not null
        union select ticket_id from report_cards
          join tickets on tickets.organisation_id = report_cards.organisation_id and tickets.id = report_cards.ticket_id
          where report_cards.app_id = ${appId} and tickets.column_id is not null`)} as "cardCount"`.execute(db);
  return rows[0] as AppDeletion;
}
