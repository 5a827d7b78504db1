/** The error of a deadline that Lodge sets. */
export class DeadlineError extends Error {
  override name = "DeadlineError";
}

/** Waits for a promise for at most `ms`. Then throws a `DeadlineError` and ignores the promise. */
export async function within<T>(ms: number, outcome: Promise<T>): Promise<T> {
  const { promise: deadline, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new DeadlineError(`There was no response within ${ms} ms`)), ms);
  try {
    return await Promise.race([outcome, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The SQLSTATEs of a PostgreSQL that cannot serve now: connection and authentication failures (08, 28, no such
 * database), insufficient resources (53), timeouts of statements and transactions, a shutdown, start or recovery (57P),
 * system errors (58), and a read-only server such as a standby. Also Lodge's own code for writes to an organisation
 * that is moving to another cell.
 */
const sqlStates = /^(08...|28...|3D000|53...|57014|57P..|58...|25006|25P03|25P04|55P03|LG001)$/;
/** The driver's messages for errors without an SQLSTATE, because PostgreSQL was not reachable. */
const driverMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end)/;

/** Errors of failed connection attempts, with any reason of PostgreSQL or a pooler. */
const ofConnecting = new WeakSet<object>();

/** Marks an error as that of a failed connection attempt, and returns it. */
export function noteConnectFailure(error: unknown): unknown {
  if (error instanceof Error) ofConnecting.add(error);
  return error;
}

/** Whether an error means that the database or the store is unavailable, regardless of the request. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (ofConnecting.has(error)) return true;
  const { code, syscall, cause } = error as NodeJS.ErrnoException;
  if (error.name === "SilentDatabaseError" || error.name === "DeadlineError" || error.name === "StoreError")
    return true;
  if (syscall !== undefined) return true; // errors of the database's socket or the store's files
  if (code !== undefined && sqlStates.test(code)) return true;
  if (error instanceof AggregateError) return error.errors.some(isOutage); // one error for each address of a host name
  return driverMessages.test(error.message) || isOutage(cause);
}
