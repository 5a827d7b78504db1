import type { Command } from "commander";
import { parseUuid } from "../platform/command/parse-uuid.ts";
import type { WithDatabase } from "../platform/command/with-database.ts";

/** `lodged keys` */
export function addKeyCommands(program: Command, withDatabase: WithDatabase): void {
  const keys = program.command("keys").description("look after the SDK keys that reports are sent with");
  keys
    .command("list")
    .argument("<organisation>", "the slug of the organisation")
    .description("show the keys of all its apps, those that are revoked too")
    .action(async (organisation: string) => {
      const { listKeys } = await import("./list-keys.ts");
      const found = await withDatabase(({ db }) => listKeys(db, organisation));
      console.log(JSON.stringify(found, null, 2));
    });
  keys
    .command("revoke")
    .argument("<id>", "a key, by its id", parseUuid)
    .description("refuse a key from now on; apply the file again for a new one of its name")
    .action(async (id: string) => {
      const { revokeKey } = await import("./revoke-key.ts");
      const revokedAt = await withDatabase((database) => revokeKey(database, id));
      console.log(JSON.stringify({ id, revokedAt }));
    });
}
