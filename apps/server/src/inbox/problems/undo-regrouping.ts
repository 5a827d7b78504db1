import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import type { Step, Undo } from "./apply-regrouping.ts";
import { moveEvents, readTexts } from "./move-events.ts";
import { sumUp } from "./regroup-problems.ts";
import { takeStep } from "./regrouping-rows.ts";

/**
 * Undoes the latest step of a regrouping. Reports received since the regrouping stay where they are, and deleted ones
 * are left out. Returns undefined when everything is undone.
 */
export async function undoNext(deps: Deps, appId: string): Promise<Step | undefined> {
  const last = await findLast(deps.db, appId);
  const texts = last?.undo.moved ? await readTexts(deps, appId, last.undo.moved.eventIds) : [];
  return takeStep(deps.db, appId, "undoing", async (tx) => {
    const now = await findLast(tx, appId);
    if (!now) {
      await tx.deleteFrom("regroupings").where("app_id", "=", appId).execute();
      return undefined;
    }
    if (now.step !== last?.step) return { problemIds: [] }; // another worker was faster
    const { moved, merged, retired, madeHash, madeProblem } = now.undo;
    const touched = new Set<string>();
    if (moved) {
      for (const id of await problemsOf(tx, appId, [moved.from, moved.to])) touched.add(id);
      if (await isKnown(tx, appId, moved.from)) {
        await moveEvents(tx, appId, { from: moved.to, to: moved.from, eventIds: moved.eventIds }, texts);
      }
    }
    if (retired !== undefined) {
      await sql`update problem_hashes set retired = false where app_id = ${appId} and hash = ${retired}`.execute(tx);
      for (const id of await problemsOf(tx, appId, [retired])) touched.add(id);
    }
    if (madeHash !== undefined) {
      await sql`
        delete from problem_hashes where app_id = ${appId} and hash = ${madeHash} and event_count <= 0`.execute(tx);
    }
    if (merged) {
      for (const id of await problemsOf(tx, appId, merged.hashes)) touched.add(id);
      touched.add(await restore(tx, appId, merged));
    }
    if (madeProblem !== undefined && moved) await moveCards(tx, appId, madeProblem, moved.from);
    for (const id of touched) await sumUpOrDelete(tx, appId, id);
    await sql`delete from regroup_steps where app_id = ${appId} and step = ${now.step}`.execute(tx);
    await sql`update regroupings set done_count = done_count + 1 where app_id = ${appId}`.execute(tx);
    return { problemIds: [...touched] };
  });
}

async function findLast(db: Deps["db"] | Transaction, appId: string) {
  const { rows } = await sql<{ step: number; undo: Undo }>`
    select step, undo from regroup_steps where app_id = ${appId} order by step desc limit 1`.execute(db);
  return rows[0];
}

const isKnown = async (tx: Transaction, appId: string, hash: string) =>
  (await problemsOf(tx, appId, [hash])).length > 0;

async function problemsOf(tx: Transaction, appId: string, hashes: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct problem_id as id from problem_hashes
    where app_id = ${appId} and hash = any(${hashes}::uuid[])`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Restores a merged problem with its hashes and cards. Members who no longer exist are left out. */
async function restore(tx: Transaction, appId: string, { row, hashes, cards }: NonNullable<Undo["merged"]>) {
  const id = String(row.id);
  await sql`
    insert into problems select (jsonb_populate_record(null::problems, kept.row || jsonb_build_object(
      'assignee_user_id', (select u.id from users u where u.id = (kept.row ->> 'assignee_user_id')::uuid),
      'state_changed_by_user_id', (select u.id from users u where u.id = (kept.row ->> 'state_changed_by_user_id')::uuid)
    ))).* from (select ${JSON.stringify(row)}::jsonb as row) kept
    on conflict do nothing`.execute(tx);
  await sql`
    update problem_hashes set problem_id = ${id} where app_id = ${appId} and hash = any(${hashes}::uuid[])`.execute(tx);
  await sql`
    update report_cards c set problem_id = ${id}, returned_at = kept.returned_at,
      subscriber_id = case when exists (select from report_cards other where other.app_id = c.app_id
        and other.problem_id = ${id} and other.subscriber_id = kept.subscriber_id) then null else kept.subscriber_id end
    from json_to_recordset(${JSON.stringify(cards)}) as kept(id uuid, subscriber_id uuid, returned_at timestamptz)
    where c.app_id = ${appId} and c.id = kept.id and c.problem_id is not null`.execute(tx);
  return id;
}

/** Moves the cards of a problem that is about to be deleted to the problem that its reports return to. */
async function moveCards(tx: Transaction, appId: string, from: string, toHash: string): Promise<void> {
  await sql`
    update report_cards c set problem_id = h.problem_id, subscriber_id = null
    from problem_hashes h
    where h.app_id = ${appId} and h.hash = ${toHash} and c.app_id = h.app_id and c.problem_id = ${from}
      and not exists (select from problem_hashes left_over where left_over.app_id = ${appId} and left_over.problem_id = ${from})`.execute(
    tx,
  );
}

async function sumUpOrDelete(tx: Transaction, appId: string, id: string): Promise<void> {
  const { numAffectedRows } = await sql`
    delete from problems p where p.app_id = ${appId} and p.id = ${id} and not exists (
      select from problem_hashes h where h.app_id = p.app_id and h.problem_id = p.id)`.execute(tx);
  if (!numAffectedRows) await sumUp(tx, appId, id);
}
