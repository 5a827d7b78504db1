import type { Command } from "commander";
import type { PrintFromDatabase } from "../platform/command/with-database.ts";

/** `lodged apply` */
export function addProvisioningCommands(program: Command, print: PrintFromDatabase): void {
  program
    .command("apply")
    .argument("<file>", "a JSON or YAML file; - for standard input")
    .description("create what the file describes, and update what differs")
    .action(async (file: string) => {
      const { applyWorld, checkWorld } = await import("./apply-world.ts");
      const { readWorld } = await import("./read-world.ts");
      const world = checkWorld(await readWorld(file));
      await print((database) => applyWorld(database, world), "make");
    });
}
