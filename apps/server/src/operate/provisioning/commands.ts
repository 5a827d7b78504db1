import type { World } from "@lodge/contract/world";
import type { Command } from "commander";
import type { CommandDatabase, PrintFromDatabase } from "../../platform/command/with-database.ts";
import type { Config } from "../../platform/config/config.ts";
import { findSealingKeys, readSealingKeys } from "../../platform/config/secret.ts";

/** Applies a world in the cell that it belongs to. */
export type InCellOf = <T>(
  home: CommandDatabase,
  world: World,
  use: (database: CommandDatabase) => Promise<T>,
) => Promise<T>;

const inAnExport = `Only the owner of the file can read it. Keep it as safe as a password. It contains
  in clear text:  reports, tickets and attachments; signing secrets of webhooks, GitHub tokens, chat addresses, the
                  client secret of the identity provider, SDK keys
  as hashes:      passwords; API tokens, runner tokens, invitation links
It contains no sessions, passkeys or authenticator apps. The receipt counts the secrets in clear text.`;

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
      const { readWorld } = await import("./read-world.ts");
      const world = checkWorld(await readWorld(file));
      const settings = readSettings();
      await print(async (database) => {
        const sealing = await findSealingKeys(settings);
        const apply = (its: CommandDatabase) => applyWorld({ ...its, sealing }, world);
        return program.opts<{ cell?: string }>().cell === undefined
          ? inCellOf(database, world, apply)
          : apply(database);
      }, "make");
    });
  program
    .command("backup")
    .argument("<to>", "an empty folder, or s3://bucket/prefix")
    .option(
      "--since <last>",
      "an earlier backup, on the same disk or in a bucket; unchanged files are not copied again",
    )
    .description("copy the embedded database, the attachments and the secret while the server runs; prints a receipt")
    .action(async (to: string, { since }: { since?: string }) => {
      const { backUp } = await import("../backup/back-up.ts");
      printReceipt(await backUp(readSettings(), to, since));
    });
  program
    .command("restore")
    .argument("<from>", "a backup made by lodged backup: a folder, or s3://bucket/prefix")
    .description("restore a backup into an empty data directory and verify it; prints a receipt")
    .action(async (from: string) => {
      const { restore } = await import("../backup/restore.ts");
      printReceipt(await restore(readSettings(), from));
    });
  program
    .command("export")
    .argument("<organisation>", "its slug")
    .argument("<file>", "a new file: lines of JSON, compressed with gzip")
    .description("export an organisation to a file, to import it elsewhere; prints a receipt")
    .addHelpText("after", `\n${inAnExport}`)
    .action(async (organisation: string, file: string) => {
      const { openStore } = await import("../../platform/store/open-store.ts");
      const { exportOrganisation } = await import("./export-organisation.ts");
      const store = await openStore(readSettings());
      await print(async (database) =>
        exportOrganisation({ ...database, store, sealing: await readSealingKeys(readSettings()) }, organisation, file),
      );
    });
  program
    .command("import")
    .argument("<file>", "a file written by lodged export")
    .description("import an organisation (all or nothing); prints a receipt")
    .action(async (file: string) => {
      const { openStore } = await import("../../platform/store/open-store.ts");
      const { importOrganisation } = await import("./import-organisation.ts");
      const store = await openStore(readSettings());
      await print(async (database) =>
        importOrganisation({ ...database, store, sealing: await readSealingKeys(readSettings()) }, file),
      );
    });
  program
    .command("secrets")
    .description("manage the secrets that are encrypted with LODGE_SECRET")
    .command("forget")
    .description("delete the stored secrets that LODGE_SECRET cannot decrypt, if it is lost; prints how many")
    .action(async () => {
      const { forgetUnreadable } = await import("./seal-stored.ts");
      await print(async ({ pool }) => ({
        forgotten: await forgetUnreadable(pool, await readSealingKeys(readSettings())),
      }));
    });
}
