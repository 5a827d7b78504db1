import type { LabelColor } from "@lodge/contract/label-colors";
import { sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/database.ts";

/** Creates a label with a color. False if there is one with this name. */
export async function addLabel(tx: Transaction, organisationId: string, name: string, color: LabelColor) {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("labels")
    .values({ organisation_id: organisationId, name, color })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** Sets the color of a label. */
export async function colorLabel(tx: Transaction, organisationId: string, name: string, color: LabelColor) {
  await tx
    .updateTable("labels")
    .set({ color })
    .where("organisation_id", "=", organisationId)
    .where("name", "=", name)
    .execute();
}

/** Deletes labels that no ticket has any more. */
export async function dropLabels(tx: Transaction, organisationId: string, names: string[]) {
  await tx.deleteFrom("labels").where("organisation_id", "=", organisationId).where("name", "in", names).execute();
}

const ticketsPerPass = 100_000;
const ticketsPerStep = 500;

/**
 * Rewrites the tickets that name one of these labels, following `label_changes`, at most 500 in a transaction. Locked
 * tickets are skipped, and no webhooks are triggered, because no ticket looks different afterwards. Returns whether no
 * ticket names one of them any more.
 */
export async function relabelTickets(db: Database, organisationId: string, names: string[]): Promise<boolean> {
  for (;;) {
    const { rows } = await sql<{ id: string }>`
      select id from tickets
      where organisation_id = ${organisationId} and labels <> '{}' and labels && ${names}::text[]
      limit ${ticketsPerPass}`.execute(db);
    if (rows.length === 0) return true;
    let changed = 0n;
    for (let from = 0; from < rows.length; from += ticketsPerStep) {
      const ids = rows.slice(from, from + ticketsPerStep).map(({ id }) => id);
      changed += await relabel(db, organisationId, ids);
    }
    if (changed === 0n) return false;
  }
}

function relabel(db: Database, organisationId: string, ids: string[]): Promise<bigint> {
  return db.transaction().execute(async (tx) => {
    await sql`select set_config('lodge.copying', 'on', true)`.execute(tx);
    const { numAffectedRows = 0n } = await sql`
      with free as materialized (
        select id from tickets where organisation_id = ${organisationId} and id = any(${ids}::uuid[])
        for no key update skip locked)
      update tickets set labels = shown_labels(tickets.organisation_id, tickets.labels) from free
      where tickets.organisation_id = ${organisationId} and tickets.id = free.id`.execute(tx);
    return numAffectedRows;
  });
}
