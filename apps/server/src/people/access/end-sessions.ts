import type { Transaction } from "../../platform/database/database.ts";
import { publishEndOfSession } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";

/** Ends a session of a person, and its streams in every process. Throws `session_not_found`. */
export async function endSession({ db }: Pick<Deps, "db">, userId: string, sessionId: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom("sessions")
      .where("user_id", "=", userId)
      .where("id", "=", sessionId)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw new Refusal("session_not_found");
    await publishEndOfSession(tx, sessionId);
  });
}

/** Ends the sessions an organisation's identity provider opened, of a person or all, when the transaction commits. */
export async function endSessionsOfProvider(tx: Transaction, organisationId: string, userId?: string): Promise<void> {
  const ended = await tx
    .deleteFrom("sessions")
    .where("provider_organisation_id", "=", organisationId)
    .$if(userId !== undefined, (query) => query.where("user_id", "=", userId as string))
    .returning("id")
    .execute();
  for (const { id } of ended) await publishEndOfSession(tx, id);
}

/** Ends all sessions of a person, except one if given, and their streams everywhere, when the transaction commits. */
export async function endSessions(tx: Transaction, userId: string, keptSessionId?: string): Promise<void> {
  const ended = await tx
    .deleteFrom("sessions")
    .where("user_id", "=", userId)
    .$if(keptSessionId !== undefined, (query) => query.where("id", "<>", keptSessionId as string))
    .returning("id")
    .execute();
  for (const { id } of ended) await publishEndOfSession(tx, id);
}
