import { type Database, isUniqueViolation, type Transaction } from "../../platform/database/database.ts";

/**
 * Runs a transaction that may reopen tickets; retries it once if another ticket of the same problem was opened at the
 * same moment.
 */
export async function reopening<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    return await db.transaction().execute(work);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return db.transaction().execute(work);
  }
}
