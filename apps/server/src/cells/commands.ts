import type { Command } from "commander";
import type { PrintFromDatabase } from "../platform/command/with-database.ts";
import type { Config } from "../platform/config/config.ts";
import { readServersSecret } from "../platform/config/secret.ts";
import { OperatorError } from "../platform/errors.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** `lodged cell` (contract section 12) */
export function addCellCommands(
  program: Command,
  print: PrintFromDatabase,
  readSettings: () => Config,
  env: Environment,
): void {
  const cell = program.command("cell").description("several databases with whole organisations in each");
  cell
    .command("add")
    .argument("<name>", "small letters, digits and hyphens")
    .requiredOption("--database-url-env <variable>", "the environment variable that holds its connection string")
    .option("--schema <schema>", "the schema of its tables, where the database has several cells; it is made")
    .description("have an empty PostgreSQL, or a schema of one, be a cell; servers begin to serve it within 15 seconds")
    .action(async (name: string, { databaseUrlEnv, schema }: { databaseUrlEnv: string; schema?: string }) => {
      const url = env[databaseUrlEnv];
      if (!url) throw new OperatorError(`Set ${databaseUrlEnv} to the connection string of the database.`);
      const { addCell } = await import("./add-cell.ts");
      const secret = await readServersSecret(readSettings());
      await print(({ pool }) => addCell(pool, secret, name, { connectionString: url, schema }));
    });
  cell
    .command("move")
    .argument("<organisation>", "its slug or id")
    .argument("<cell>", "where it is to live")
    .option("--together", "have all other organisations of its people come along", false)
    .description("move an organisation to another cell while it works on; can be repeated; prints a receipt")
    .action(async (organisation: string, to: string, { together }: { together: boolean }) => {
      const { moveOrganisation } = await import("./move-organisation.ts");
      const secret = await readServersSecret(readSettings());
      await print((database) => moveOrganisation(database, secret, { organisation, to, together }));
    });
  cell
    .command("list")
    .description("show the cells, and how many organisations live in each")
    .action(async () => {
      const { showCells } = await import("./list-cells.ts");
      const secret = await readServersSecret(readSettings());
      await print(({ pool }) => showCells(pool, secret));
    });
}
