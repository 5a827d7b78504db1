import type { Command } from "commander";
import type { WithDatabase } from "../platform/command/with-database.ts";

/** `lodged apply` */
export function addProvisioningCommands(program: Command, withDatabase: WithDatabase): void {
  program
    .command("apply")
    .argument("<file>", "a JSON or YAML file; - for standard input")
    .description("create what the file describes, and update what differs")
    .action(async (file: string) => {
      const { applyWorld, checkWorld } = await import("./apply-world.ts");
      const { readWorld } = await import("./read-world.ts");
      const world = checkWorld(await readWorld(file));
      const applied = await withDatabase((database) => applyWorld(database, world), "make");
      console.log(JSON.stringify(applied, null, 2));
    });
}
