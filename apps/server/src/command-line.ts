import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { Command } from "commander";
import { parse } from "yaml";
import { systemClock } from "./platform/clock.ts";
import { type Config, readConfig } from "./platform/config.ts";
import { openPool, queryBuilder } from "./platform/database.ts";
import type { Deps } from "./platform/deps.ts";
import { OperatorError } from "./platform/errors.ts";
import { createLog } from "./platform/log.ts";
import { migrate } from "./platform/migrate.ts";
import { openDatabase } from "./platform/open-database.ts";
import { listenForStop } from "./platform/stop-signal.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Runs `lodged`. Standard output carries only the result; a mistake is one message on standard error and exit code 1. */
export async function runCommandLine(argv: readonly string[], env: Environment): Promise<void> {
  const program = new Command("lodged").description("The Lodge server.").showHelpAfterError();

  program
    .command("serve")
    .description("run the server until it is told to stop")
    .action(async () => {
      const { serve } = await import("./serve.ts");
      // Between the lines of the log it has to catch the eye.
      const rule = "─".repeat(78);
      await serve(readConfig(env), (text) => process.stdout.write(`\n${rule}\n${text}\n${rule}\n\n`));
    });

  program
    .command("migrate")
    .description("bring the database up to date")
    .action(async () => {
      const applied = await withDatabase(readConfig(env), (_deps, migrations) => Promise.resolve(migrations));
      for (const name of applied) console.log(name);
    });

  program
    .command("apply")
    .argument("<file>", "a JSON or YAML file; - for standard input")
    .description("create what the file describes, and update what differs")
    .action(async (file: string) => {
      const { applyWorld, checkWorld } = await import("./provisioning/apply-world.ts");
      const world = checkWorld(await readWorld(file));
      const applied = await withDatabase(readConfig(env), (deps) => applyWorld(deps, world));
      console.log(JSON.stringify(applied, null, 2));
    });

  program
    .command("doctor")
    .description("check what the server stands on, and say what to do about what is wrong; changes nothing")
    .action(async () => {
      const { examine } = await import("./doctor.ts");
      for await (const { state, text } of examine(() => readConfig(env))) {
        console.log(`${state.padEnd(6)} ${text}`);
        if (state === "wrong") process.exitCode = 1;
      }
    });

  program
    .command("plan")
    .description("change what an organisation has booked")
    .command("set")
    .argument("<organisation>", "the slug of the organisation")
    .argument("<plan>", "free, team or business")
    .description("put an organisation on a plan; an upgrade ends a suspension at once")
    .action(async (organisation: string, plan: string) => {
      const { setPlan } = await import("./organisations/set-plan.ts");
      const set = await withDatabase(readConfig(env), (deps) => setPlan(deps, organisation, plan));
      console.log(JSON.stringify(set, null, 2));
    });

  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    console.error(error instanceof OperatorError ? error.message : error);
    process.exitCode = 1;
  }
}

async function withDatabase<T>(
  config: Config,
  use: (deps: Pick<Deps, "db" | "clock">, migrations: string[]) => Promise<T>,
): Promise<T> {
  // A PostgreSQL that was started for this command is stopped again, whatever the terminal says meanwhile.
  const { asked } = listenForStop();
  const database = await openDatabase(config, "command", asked);
  const pool = openPool(database.address, createLog("silent"));
  try {
    const migrations = await migrate(pool);
    return await use({ db: queryBuilder(pool), clock: systemClock }, migrations);
  } finally {
    await pool.end();
    await database.close();
  }
}

async function readWorld(file: string): Promise<unknown> {
  try {
    return parse(file === "-" ? await text(process.stdin) : await readFile(file, "utf8")) as unknown;
  } catch (error) {
    throw new OperatorError(`Cannot read ${file}: ${(error as Error).message}`);
  }
}
