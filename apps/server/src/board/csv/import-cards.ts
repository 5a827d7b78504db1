import type { CardImport, ImportQuery } from "@lodge/contract/dashboard/imports";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import { recordAudit } from "../../people/audit/record-audit.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { sayCopying } from "../../platform/database/insert-rows.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { lockBoard } from "../boards/lock-board.ts";
import { requireBoard } from "../boards/require-board.ts";
import { makeLabels } from "../tickets/make-labels.ts";
import { writeImported } from "../tickets/write-imported.ts";
import { readImports, undoableSince } from "./import-rows.ts";
import { type ImportPlan, planImport } from "./plan-import.ts";
import { readCsv } from "./read-csv.ts";
import { receiveCsv } from "./receive-csv.ts";

/**
 * Imports the cards of a file, all or none, once for each `key` of the person: a known key returns the import that it
 * made, and nothing is checked. Nobody is notified and no webhooks are triggered (docs/csv.md). Throws
 * `board_not_found`, `invalid_idempotency_key`, `invalid_csv`, and the errors of `planImport`, `readCsv`, `receiveCsv`
 * and `writeImported`.
 */
export async function importCards(
  deps: Deps,
  actor: Actor,
  boardId: string,
  { filename, ...choices }: ImportQuery,
  key: string | undefined,
  body: Buffer,
): Promise<CardImport> {
  await requireBoard(deps.db, actor.organisationId, boardId);
  if (key === undefined) throw new Refusal("invalid_idempotency_key");
  return receiveCsv(deps, actor, body, async () => {
    const known = await findByKey(deps, actor, key);
    if (known) return known;
    const plan = await planImport(deps, actor.organisationId, boardId, await readCsv(body), choices);
    if (plan.problemCount > 0) throw asRefusal(plan);
    const isNew = await deps.db.transaction().execute((tx) => write(deps, tx, actor, { boardId, filename, key }, plan));
    // If another request with the key was faster, its import exists now.
    const imported = await findByKey(deps, actor, key);
    if (!imported) throw new Error("a file was neither refused nor imported");
    if (isNew) {
      deps.announce(actor.organisationId, { kind: "board.changed", boardId: boardId.toLowerCase() });
      if (plan.labelsToMake.length > 0) deps.announce(actor.organisationId, { kind: "labels.changed" });
    }
    return imported;
  });
}

async function findByKey({ db }: Deps, { organisationId, userId }: Actor, key: string) {
  const [known] = await readImports(db, organisationId, sql`user_id = ${userId} and key = ${key}`, 1);
  return known;
}

const asRefusal = ({ problems }: ImportPlan) =>
  new Refusal("invalid_csv", { details: problems.map(({ line, message }) => ({ path: `/lines/${line}`, message })) });

/** Returns false, and writes nothing, if another request has imported with the key. */
async function write(
  deps: Deps,
  tx: Transaction,
  actor: Actor,
  { boardId: namedId, filename, key }: { boardId: string; filename: string; key: string },
  { tickets, newPeople, labelsToMake }: ImportPlan,
): Promise<boolean> {
  const { organisationId } = actor;
  const at = deps.clock.now();
  await sayCopying(tx);
  const boardId = await lockBoard(tx, organisationId, namedId);
  if (!boardId) throw new Refusal("board_not_found");
  await sql`
    delete from ticket_imports where organisation_id = ${organisationId} and board_id = ${boardId}
      and created_at < ${undoableSince(at)}`.execute(tx);
  const claimed = await tx
    .insertInto("ticket_imports")
    .values({
      organisation_id: organisationId,
      board_id: boardId,
      user_id: actor.userId,
      user_name: actor.name,
      key,
      filename,
      ticket_ids: [],
      unassigned: JSON.stringify(newPeople),
      created_at: at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  if (!claimed) return false;
  const ticketIds = await writeImported(deps, tx, actor, tickets, { filename, at });
  await tx
    .updateTable("ticket_imports")
    .set({ ticket_ids: ticketIds })
    .where("organisation_id", "=", organisationId)
    .where("id", "=", claimed.id)
    .execute();
  await recordAudit(tx, actor, at, "tickets.imported", { file: filename, cards: tickets.length });
  await makeLabels(tx, organisationId, labelsToMake); // last: filing with one of these labels waits until this ends
  return true;
}
