import type { CardImport, UndoneImport } from "@lodge/contract/dashboard/imports";
import { importDays } from "@lodge/contract/limits";
import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";

type Row = {
  id: string;
  filename: string;
  card_count: number;
  unassigned: CardImport["unassigned"];
  created_at: Date;
  user_id: string | null;
  user_name: string;
  undone_at: Date | null;
  undone: UndoneImport | null;
};

/** The imports of an organisation that meet a condition on `ticket_imports`, newest first. */
export async function readImports(
  db: Database,
  organisationId: string,
  which: RawBuilder<unknown>,
  count: number,
): Promise<CardImport[]> {
  const { rows } = await sql<Row>`
    select id, filename, cardinality(ticket_ids) as card_count, unassigned, created_at, user_id, user_name, undone_at, undone
    from ticket_imports
    where organisation_id = ${organisationId} and ${which}
    order by created_at desc, id desc limit ${count}`.execute(db);
  return rows.map((row) => ({
    id: row.id,
    filename: row.filename,
    cardCount: row.card_count,
    unassigned: row.unassigned,
    createdAt: row.created_at.toISOString(),
    createdBy: { id: row.user_id, name: row.user_name },
    undoneAt: row.undone_at?.toISOString() ?? null,
    undone: row.undone,
  }));
}

/** Imports made since this time can be undone. */
export const undoableSince = (now: Date): Date => new Date(now.getTime() - importDays * 86_400_000);
