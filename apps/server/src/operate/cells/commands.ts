import type { Command } from "commander";
import type { PrintFromDatabase } from "../../platform/command/with-database.ts";
import type { Config } from "../../platform/config/config.ts";
import { readReplicas } from "../../platform/config/read-hosts.ts";
import { readSealingKeys } from "../../platform/config/secret.ts";
import { OperatorError } from "../../platform/errors.ts";

type AddOptions = { databaseUrlEnv: string; schema?: string; replicaUrlsEnv?: string };
type Environment = Readonly<Record<string, string | undefined>>;

/** `lodged cell` (contract section 12) */
export function addCellCommands(
  program: Command,
  print: PrintFromDatabase,
  readSettings: () => Config,
  env: Environment,
): void {
  const cell = program.command("cell").description("manage cells, the databases that hold complete organisations");
  cell
    .command("add")
    .argument("<name>", "lowercase letters, digits and hyphens")
    .requiredOption("--database-url-env <variable>", "the environment variable that holds its connection string")
    .option(
      "--schema <schema>",
      "the schema for its tables, if the database has several cells; created if it does not exist",
    )
    .option(
      "--replica-urls-env <variable>",
      "the environment variable with the addresses of its standbys, which serve lists",
    )
    .description("add an empty PostgreSQL database, or a schema in one, as a cell; servers use it within 15 seconds")
    .action(async (name: string, { databaseUrlEnv, schema, replicaUrlsEnv }: AddOptions) => {
      const connectionString = env[databaseUrlEnv];
      if (!connectionString) throw new OperatorError(`Set ${databaseUrlEnv} to the connection string of the database.`);
      const replicaUrls = replicaUrlsEnv === undefined ? undefined : readReplicas(env[replicaUrlsEnv] ?? "");
      if (replicaUrlsEnv !== undefined && !replicaUrls) {
        throw new OperatorError(`Set ${replicaUrlsEnv} to comma-separated postgres:// addresses of one host each.`);
      }
      const { addCell } = await import("./add-cell.ts");
      await print(async ({ pool }) =>
        addCell(pool, await readSealingKeys(readSettings()), name, { connectionString, schema, replicaUrls }),
      );
    });
  cell
    .command("move")
    .argument("<organisation>", "its slug or id")
    .argument("<cell>", "the cell to move it to")
    .option("--together", "also move all other organisations of its members", false)
    .description("move an organisation to another cell without downtime; can be repeated; prints a receipt")
    .action(async (organisation: string, to: string, { together }: { together: boolean }) => {
      const { moveOrganisation } = await import("./move-organisation.ts");
      await print(async (database) =>
        moveOrganisation(database, await readSealingKeys(readSettings()), { organisation, to, together }),
      );
    });
  cell
    .command("list")
    .description("list the cells, with the number of organisations in each")
    .action(async () => {
      const { showCells } = await import("./list-cells.ts");
      await print(async ({ pool }) => showCells(pool, await readSealingKeys(readSettings())));
    });
}
