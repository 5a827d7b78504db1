/** The error of one of our own deadlines. */
export class DeadlineError extends Error {
  override name = "DeadlineError";
}

/** Waits for an outcome so long and no longer. Throws a `DeadlineError`; what comes of it afterwards is nobody's. */
export async function within<T>(ms: number, outcome: Promise<T>): Promise<T> {
  const { promise: deadline, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new DeadlineError(`There was no answer within ${ms} ms`)), ms);
  try {
    return await Promise.race([outcome, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The SQLSTATEs with which PostgreSQL says that it is not reached or cannot serve now: connection and sign-in failures
 * (08, 28, no such database), too few resources (53), a statement or a transaction that took too long, a shutdown, a
 * start or a recovery (57P), failures of the system below (58), and a server that is read-only, as a standby is; and our
 * own for what is written to an organisation that moves to another cell just now.
 */
const sqlStates = /^(08...|28...|3D000|53...|57014|57P..|58...|25006|25P03|25P04|55P03|LG001)$/;
/** The driver's messages for errors without an SQLSTATE, because PostgreSQL was not reachable. */
const driverMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end)/;

/** Errors of connections that did not come about: whatever PostgreSQL or a pooler gave as its reason. */
const ofConnecting = new WeakSet<object>();

/** Notes that an error has kept a connection from coming about, and returns it. */
export function noteConnectFailure(error: unknown): unknown {
  if (error instanceof Error) ofConnecting.add(error);
  return error;
}

/** Whether an error says that the database or the store cannot serve now, and nothing about what was asked of it. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (ofConnecting.has(error)) return true;
  const { code, syscall, cause } = error as NodeJS.ErrnoException;
  if (error.name === "SilentDatabaseError" || error.name === "DeadlineError" || error.name === "StoreError")
    return true;
  if (syscall !== undefined) return true; // of the socket to the database, or of the store's files
  if (code !== undefined && sqlStates.test(code)) return true;
  if (error instanceof AggregateError) return error.errors.some(isOutage); // each address of a name was tried
  return driverMessages.test(error.message) || isOutage(cause);
}
