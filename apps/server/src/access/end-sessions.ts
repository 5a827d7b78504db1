import type { Transaction } from "../platform/database/database.ts";
import { publishEndOfSession } from "../platform/database/publish.ts";

/** Ends every session of a person but one, if it is given, and their streams in every process, if and when the transaction commits. */
export async function endSessions(tx: Transaction, userId: string, keptSessionId?: string): Promise<void> {
  const ended = await tx
    .deleteFrom("sessions")
    .where("user_id", "=", userId)
    .$if(keptSessionId !== undefined, (query) => query.where("id", "<>", keptSessionId as string))
    .returning("id")
    .execute();
  for (const { id } of ended) await publishEndOfSession(tx, id);
}
