import { type Database, isUniqueViolation, type Transaction } from "../../platform/database/database.ts";

/**
 * Runs a transaction that may open tickets again; once more where another one of the same problem was opened in the same
 * moment, which it then finds.
 */
export async function reopening<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    return await db.transaction().execute(work);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return db.transaction().execute(work);
  }
}
