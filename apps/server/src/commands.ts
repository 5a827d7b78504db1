import type { Command } from "commander";
import type { WithDatabase } from "./platform/command/with-database.ts";
import type { Config } from "./platform/config/config.ts";
import { readSealingKeys } from "./platform/config/secret.ts";
import { OperatorError } from "./platform/errors.ts";

/** `lodged serve`, `worker`, `migrate` and `doctor`: the commands for the whole server. */
export function addServerCommands(program: Command, readSettings: () => Config, withDatabase: WithDatabase): void {
  program
    .command("serve")
    .description("run the server")
    .action(async () => {
      const { serve } = await import("./serve.ts");
      // It must stand out between the lines of the log.
      const rule = "─".repeat(78);
      await serve(readSettings(), (text) => process.stdout.write(`\n${rule}\n${text}\n${rule}\n\n`));
    });
  program
    .command("worker")
    .description("run only the worker, next to servers on the same database")
    .action(async () => {
      const config = readSettings();
      if (!config.databaseUrl) {
        throw new OperatorError("With the embedded database the server is its own worker; set DATABASE_URL.");
      }
      const { serve } = await import("./serve.ts");
      await serve({ ...config, roles: ["worker"] }, (text) => process.stdout.write(`${text}\n`));
    });
  program
    .command("migrate")
    .description("migrate the database, and those of other cells one after the other")
    .action(async () => {
      const { migrateCells } = await import("./operate/cells/migrate-cells.ts");
      await withDatabase(async ({ pool, migrations }) => {
        for (const name of migrations) console.log(name);
        for await (const { cell, applied } of migrateCells(pool, () => readSealingKeys(readSettings()))) {
          for (const name of applied) console.log(`${cell} ${name}`);
        }
      }, "make");
    });
  program
    .command("doctor")
    .description("check the environment of the server, and say how to fix problems; changes nothing")
    .action(async () => {
      const { examine } = await import("./doctor.ts");
      for await (const { state, text } of examine(readSettings)) {
        console.log(`${state.padEnd(6)} ${text}`);
        if (state === "wrong") process.exitCode = 1;
      }
    });
}
