import type { DeletionQuery } from "@lodge/contract/dashboard/boards";
import type { Transaction } from "../../platform/database/database.ts";
import { Refusal } from "../../platform/errors.ts";

/**
 * Makes sure that columns have no cards, and get none before the transaction ends; archived cards count too, unless
 * they may be deleted. Throws `not_empty` or `only_archived`.
 * The lock waits for tickets that are being filed there, so the cards are counted only afterwards.
 */
export async function holdEmptyColumns(
  tx: Transaction,
  organisationId: string,
  columnIds: string[],
  { archived }: DeletionQuery,
): Promise<void> {
  if (columnIds.length === 0) return;
  await tx
    .selectFrom("columns")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("id", "in", columnIds)
    .orderBy("id")
    .forUpdate()
    .execute();
  const ticket = await tx
    .selectFrom("tickets")
    .select("archived_at")
    .where("organisation_id", "=", organisationId)
    .where("column_id", "in", columnIds)
    .orderBy((eb) => eb("archived_at", "is", null), "desc")
    .limit(1)
    .executeTakeFirst();
  if (ticket?.archived_at === null) throw new Refusal("not_empty");
  if (ticket && archived !== "delete") throw new Refusal("only_archived");
}
