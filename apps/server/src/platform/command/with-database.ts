import type { Config } from "../config/config.ts";
import { openPool } from "../database/database.ts";
import { openDatabase, requireDatabase } from "../database/open-database.ts";
import type { Basics } from "../deps.ts";
import { makeBasics } from "../make-deps.ts";
import { migrate } from "../migrate.ts";
import { createLog } from "../observe/log.ts";
import { listenForStop } from "../stop-signal.ts";

const howToInsist =
  "The command goes on to its end. Tell it to stop again, as with Ctrl-C, to end it now: what is not committed then is undone.";

/** The arguments of a command: a database that is up to date, and the migrations that made it so. */
export type CommandDatabase = Basics & { migrations: string[] };

/** The reaction to a missing database. */
type Missing = "refuse" | "make";

/** `withDatabase` on the settings that the command line was given. */
export type WithDatabase = <T>(use: (database: CommandDatabase) => Promise<T>, missing?: Missing) => Promise<T>;

/** The same, and what comes of it is printed as JSON: the result of most commands. */
export type PrintFromDatabase = (
  use: (database: CommandDatabase) => Promise<unknown>,
  missing?: Missing,
) => Promise<void>;

/**
 * Opens the database of the settings for one command, and leaves nothing running that it started. Where there is no
 * database it throws an `OperatorError`, or makes one. Told to stop, it says how to insist; told so again, it ends the
 * process, and what is not committed is undone.
 */
export async function withDatabase<T>(
  config: Config,
  use: (database: CommandDatabase) => Promise<T>,
  missing: Missing = "refuse",
): Promise<T> {
  if (missing === "refuse") await requireDatabase(config);
  // A PostgreSQL that was started for this command is stopped again, whatever the terminal says meanwhile.
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
