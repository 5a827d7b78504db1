import type { Transaction } from "../platform/database/database.ts";
import { publishEndOfSession } from "../platform/database/publish.ts";

/** Ends every session of a person, and its streams in every process, if and when the transaction commits. */
export async function endSessions(tx: Transaction, userId: string): Promise<void> {
  const ended = await tx.deleteFrom("sessions").where("user_id", "=", userId).returning("id").execute();
  for (const { id } of ended) await publishEndOfSession(tx, id);
}
