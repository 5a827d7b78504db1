import type { Config } from "../config/config.ts";
import { openPool } from "../database/database.ts";
import { openDatabase, requireDatabase } from "../database/open-database.ts";
import type { Basics } from "../deps.ts";
import { makeBasics } from "../make-deps.ts";
import { migrate } from "../migrate.ts";
import { createLog } from "../observe/log.ts";
import { listenForStop } from "../stop-signal.ts";

const howToInsist =
  "The command continues until it is done. Press Ctrl-C again to stop it now and roll back uncommitted changes.";

/** An up-to-date database for a command, and the names of the migrations that were applied. */
export type CommandDatabase = Basics & { migrations: string[] };

/** Whether to refuse or create a missing database. */
type Missing = "refuse" | "make";

/** `withDatabase` with the settings of the command line. */
export type WithDatabase = <T>(use: (database: CommandDatabase) => Promise<T>, missing?: Missing) => Promise<T>;

/** The same, but prints the result as JSON, as most commands do. */
export type PrintFromDatabase = (
  use: (database: CommandDatabase) => Promise<unknown>,
  missing?: Missing,
) => Promise<void>;

/**
 * Opens the database of the settings for one command, and stops a PostgreSQL that it started. If there is no database,
 * throws an `OperatorError` or creates one. The first stop signal prints how to stop immediately; the second one ends
 * the process and rolls back uncommitted changes.
 */
export async function withDatabase<T>(
  config: Config,
  use: (database: CommandDatabase) => Promise<T>,
  missing: Missing = "refuse",
): Promise<T> {
  if (missing === "refuse") await requireDatabase(config);
  // A stop signal must not prevent the end of a PostgreSQL that was started for this command.
  const { asked, insisted } = listenForStop();
  await using opened = new AsyncDisposableStack();
  const database = await openDatabase(config, "command", asked);
  opened.defer(database.close);
  asked.addEventListener("abort", () => console.error(howToInsist));
  insisted.addEventListener("abort", () => void database.close().finally(() => process.exit(1)));
  const pool = opened.use(openPool(database.address, createLog("silent")));
  const migrations = await migrate(pool);
  return await use({ ...makeBasics(pool), migrations });
}
