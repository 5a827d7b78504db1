import type { Command } from "commander";
import { parseUuid } from "../../platform/command/parse-uuid.ts";
import type { PrintFromDatabase } from "../../platform/command/with-database.ts";

/** `lodged keys` */
export function addKeyCommands(program: Command, print: PrintFromDatabase): void {
  const keys = program.command("keys").description("manage the SDK keys that reports are sent with");
  keys
    .command("list")
    .argument("<organisation>", "the slug of the organisation")
    .description("list the keys of all its apps, including revoked ones")
    .action(async (organisation: string) => {
      const { listKeys } = await import("./list-keys.ts");
      await print(({ db }) => listKeys(db, organisation));
    });
  keys
    .command("revoke")
    .argument("<id>", "a key, by its id", parseUuid)
    .description("revoke a key; applying the file again creates a new one with its name")
    .action(async (id: string) => {
      const { revokeKey } = await import("./revoke-key.ts");
      await print(async (database) => ({ id, revokedAt: await revokeKey(database, id) }));
    });
}

/** `lodged apps` */
export function addAppCommands(program: Command, print: PrintFromDatabase): void {
  program
    .command("apps")
    .description("manage the apps that send reports")
    .command("delete")
    .argument("<organisation>", "the slug of the organisation")
    .argument("<app>", "the slug of the app")
    .description("delete an app with its keys, reports, problems, source maps and subscribers; cards stay")
    .action(async (organisation: string, slug: string) => {
      const { deleteAppNamed } = await import("./delete-app.ts");
      await print((database) => deleteAppNamed(database, organisation, slug));
    });
}
