import type { World } from "@lodge/contract/world";
import type { Command } from "commander";
import type { CommandDatabase, PrintFromDatabase } from "../platform/command/with-database.ts";
import type { Config } from "../platform/config/config.ts";

/** Has a world be applied in the cell where it belongs. */
export type InCellOf = <T>(
  home: CommandDatabase,
  world: World,
  use: (database: CommandDatabase) => Promise<T>,
) => Promise<T>;

/** `lodged apply`, `backup`, `restore`, `export` and `import` */
export function addProvisioningCommands(
  program: Command,
  print: PrintFromDatabase,
  readSettings: () => Config,
  inCellOf: InCellOf,
): void {
  const printReceipt = (receipt: unknown) => console.log(JSON.stringify(receipt, null, 2));
  program
    .command("apply")
    .argument("<file>", "a JSON or YAML file; - for standard input")
    .description("create what the file describes, and update what differs")
    .action(async (file: string) => {
      const { applyWorld, checkWorld } = await import("./apply-world.ts");
      const { findServersSecret } = await import("../platform/config/secret.ts");
      const { readWorld } = await import("./read-world.ts");
      const world = checkWorld(await readWorld(file));
      const settings = readSettings();
      await print(async (database) => {
        const secret = world.identityProvider ? await findServersSecret(settings) : undefined;
        const apply = (its: CommandDatabase) => applyWorld({ ...its, secret }, world);
        return program.opts<{ cell?: string }>().cell === undefined
          ? inCellOf(database, world, apply)
          : apply(database);
      }, "make");
    });
  program
    .command("backup")
    .argument("<to>", "an empty folder, or s3://bucket/prefix")
    .option("--since <last>", "a backup on the same disk, or in a bucket: what has not changed since is not sent again")
    .description("copy the embedded database, the attachments and the secret while the server runs; prints a receipt")
    .action(async (to: string, { since }: { since?: string }) => {
      const { backUp } = await import("./back-up.ts");
      printReceipt(await backUp(readSettings(), to, since));
    });
  program
    .command("restore")
    .argument("<from>", "what lodged backup made: a folder, or s3://bucket/prefix")
    .description("put a backup into an empty data directory, and see that it is whole; prints a receipt")
    .action(async (from: string) => {
      const { restore } = await import("./restore.ts");
      printReceipt(await restore(readSettings(), from));
    });
  program
    .command("export")
    .argument("<organisation>", "its slug")
    .argument("<file>", "a new file: lines of JSON, compressed with gzip")
    .description("write everything of an organisation into a file, to import it elsewhere; prints a receipt")
    .action(async (organisation: string, file: string) => {
      const { openStore } = await import("../platform/store/open-store.ts");
      const { exportOrganisation } = await import("./export-organisation.ts");
      const store = await openStore(readSettings());
      await print((database) => exportOrganisation({ ...database, store }, organisation, file));
    });
  program
    .command("import")
    .argument("<file>", "what lodged export wrote")
    .description("bring in an organisation with all that is its, whole or not at all; prints a receipt")
    .action(async (file: string) => {
      const { openStore } = await import("../platform/store/open-store.ts");
      const { importOrganisation } = await import("./import-organisation.ts");
      const store = await openStore(readSettings());
      await print((database) => importOrganisation({ ...database, store }, file));
    });
}
