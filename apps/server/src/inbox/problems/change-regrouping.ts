import type { Regrouping } from "@lodge/contract/dashboard/regrouping";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import { recordAudit } from "../../people/audit/record-audit.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import {
  oldHashes,
  type RegroupingState,
  type RegroupPayload,
  readRegrouping,
  regroupTask,
} from "./regrouping-rows.ts";
import { requireApp } from "./require-app.ts";

/** The hashes that one regrouping handles; further ones are left for the next. */
const hashesMax = 20_000;

/** The regrouping of an app of the organisation. Throws `app_not_found`. */
export async function getRegrouping(deps: Deps, actor: Actor, appId: string): Promise<Regrouping> {
  const { id } = await requireApp(deps, actor, appId);
  return readRegrouping(deps.db, id);
}

/**
 * Starts to plan what the current rules would change. Throws `app_not_found`, or `regrouping_not_ready` if a regrouping
 * is under way.
 */
export async function previewRegrouping(deps: Deps, actor: Actor, appId: string): Promise<Regrouping> {
  return change(deps, actor, appId, ["planned", "applied", undefined], async (tx, { id }) => {
    await tx.deleteFrom("regroupings").where("app_id", "=", id).execute();
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from (select from ${oldHashes(id)} limit ${sql.lit(hashesMax)}) old`.execute(
      tx,
    );
    await tx
      .insertInto("regroupings")
      .values({
        organisation_id: actor.organisationId,
        app_id: id,
        state: "planning",
        total_count: rows[0]?.count ?? 0,
        requested_at: deps.clock.now(),
      })
      .execute();
  });
}

/** Starts to merge and split problems as previewed. Throws `app_not_found` or `regrouping_not_ready`. */
export async function applyRegrouping(deps: Deps, actor: Actor, appId: string): Promise<Regrouping> {
  return change(deps, actor, appId, ["planned"], async (tx, app) => {
    await sql`
      update regroupings set state = 'applying', done_count = 0,
        total_count = (select count(*) from regroup_targets t where t.app_id = ${app.id})
      where app_id = ${app.id}`.execute(tx);
    await note(deps, tx, actor, app.name, { from: 1, to: 2 });
  });
}

/** Starts to undo a regrouping. Throws `app_not_found` or `regrouping_not_ready`. */
export async function undoRegrouping(deps: Deps, actor: Actor, appId: string): Promise<Regrouping> {
  return change(deps, actor, appId, ["applied"], async (tx, app) => {
    await sql`
      update regroupings set state = 'undoing', done_count = 0,
        total_count = (select count(*) from regroup_steps s where s.app_id = ${app.id})
      where app_id = ${app.id}`.execute(tx);
    await note(deps, tx, actor, app.name, { from: 2, to: 1 });
  });
}

const note = ({ clock }: Deps, tx: Transaction, actor: Actor, app: string, grouping: { from: number; to: number }) =>
  recordAudit(tx, actor, clock.now(), "app.changed", { app, changes: { grouping } });

/** Moves a regrouping on from one of the given states, and queues its job. */
async function change(
  deps: Deps,
  actor: Actor,
  appId: string,
  states: readonly (RegroupingState | undefined)[],
  begin: (tx: Transaction, app: { id: string; name: string }) => Promise<void>,
): Promise<Regrouping> {
  const app = await requireApp(deps, actor, appId);
  const regrouping = await deps.db.transaction().execute(async (tx) => {
    // Lock the app, since there may be no regrouping to lock yet: requests wait for each other.
    await tx
      .selectFrom("apps")
      .select("id")
      .where("organisation_id", "=", actor.organisationId)
      .where("id", "=", app.id)
      .forNoKeyUpdate()
      .execute();
    const found = await tx
      .selectFrom("regroupings")
      .select("state")
      .where("app_id", "=", app.id)
      .forUpdate()
      .executeTakeFirst();
    if (!states.includes(found?.state as RegroupingState | undefined)) throw new Refusal("regrouping_not_ready");
    await begin(tx, app);
    await addJob(tx, regroupTask, { appId: app.id } satisfies RegroupPayload);
    return readRegrouping(tx, app.id);
  });
  deps.announceJobs();
  return regrouping;
}
