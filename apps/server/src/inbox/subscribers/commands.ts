import type { Command } from "commander";
import { parseUuid } from "../../platform/command/parse-uuid.ts";
import type { PrintFromDatabase } from "../../platform/command/with-database.ts";
import type { Config } from "../../platform/config/config.ts";
import { readSealingKeys } from "../../platform/config/secret.ts";

/** `lodged subscribers` */
export function addSubscriberCommands(program: Command, print: PrintFromDatabase, readSettings: () => Config): void {
  const subscribers = program.command("subscribers").description("manage the subscribers of events");
  subscribers
    .command("enable")
    .argument("<id>", "a subscriber that was disabled", parseUuid)
    .description("enable a disabled subscriber")
    .action(async (id: string) => {
      const { enableAnySubscriber } = await import("./enable-subscriber.ts");
      await print(async (database) => {
        await enableAnySubscriber(database, id);
        return { id, enabled: true };
      });
    });
  subscribers
    .command("rotate-secret")
    .argument("<id>", "a webhook", parseUuid)
    .description("rotate the signing secret of a webhook; the old one stays valid for 24 h")
    .action(async (id: string) => {
      const { rotateAnySecret } = await import("./rotate-secret.ts");
      await print(async (database) => ({
        id,
        secret: await rotateAnySecret(database, await readSealingKeys(readSettings()), id),
      }));
    });
  subscribers
    .command("delete")
    .argument("<id>", "a subscriber", parseUuid)
    .description("delete a subscriber with its deliveries; events and cards stay")
    .action(async (id: string) => {
      const { deleteAnySubscriber } = await import("./delete-subscriber.ts");
      await print(async (database) => {
        await deleteAnySubscriber(database, id);
        return { id, deleted: true };
      });
    });
}
