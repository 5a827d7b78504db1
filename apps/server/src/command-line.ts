import { hideValues } from "@lodge/contract/hide-values";
import { setUpRunner } from "@lodge/runner/command-line";
import { Command } from "commander";
import manifest from "../package.json" with { type: "json" };
import { addErasureCommands } from "./both/retention/commands.ts";
import { addServerCommands } from "./commands.ts";
import { addAppCommands, addKeyCommands } from "./inbox/apps/commands.ts";
import { addArtifactCommands } from "./inbox/artifacts/commands.ts";
import { addDeliveryCommands } from "./inbox/deliveries/commands.ts";
import { addSourceMapCommands } from "./inbox/source-maps/commands.ts";
import { addSubscriberCommands } from "./inbox/subscribers/commands.ts";
import { addCellCommands } from "./operate/cells/commands.ts";
import { addConformanceCommand } from "./operate/conformance/commands.ts";
import { addProvisioningCommands, type InCellOf } from "./operate/provisioning/commands.ts";
import { addPlanCommands, addSecondFactorCommands } from "./people/organisations/commands.ts";
import { addTokenCommands } from "./people/tokens/commands.ts";
import type { PrintFromDatabase, WithDatabase } from "./platform/command/with-database.ts";
import { readConfig } from "./platform/config/config.ts";
import { readSealingKeys } from "./platform/config/secret.ts";
import { OperatorError } from "./platform/errors.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Runs `lodged`. Standard output has only the result; an error is one message on standard error, with exit code 1. */
export async function runCommandLine(argv: readonly string[], env: Environment): Promise<void> {
  const readSettings = () => readConfig(env);
  const withDatabase: WithDatabase = async (use, missing) => {
    const database = await import("./platform/command/with-database.ts");
    const config = readConfig(env, "command");
    const { cell } = program.opts<{ cell?: string }>();
    if (cell === undefined) return database.withDatabase(config, use, missing);
    const { useCell } = await import("./operate/cells/use-cell.ts");
    return database.withDatabase(config, (home) => useCell(home, () => readSealingKeys(config), cell, use), missing);
  };
  const inCellOf: InCellOf = async (home, world, use) => {
    const { chooseCell, useCell } = await import("./operate/cells/use-cell.ts");
    const sealing = () => readSealingKeys(readConfig(env, "command"));
    return useCell(home, sealing, await chooseCell(home, sealing, world), use);
  };
  const printFromDatabase: PrintFromDatabase = async (use, missing) =>
    console.log(JSON.stringify(await withDatabase(use, missing), null, 2));

  const program = new Command("lodged")
    .description("The Lodge server.")
    .option("--cell <name>", "the cell to work on, if there are several; defaults to home")
    .version(manifest.version, "--version", "show the version")
    .configureOutput({ outputError: (message, write) => write(hideValues(message)) })
    .showHelpAfterError();
  addServerCommands(program, readSettings, withDatabase);
  addProvisioningCommands(program, printFromDatabase, () => readConfig(env, "command"), inCellOf);
  addAppCommands(program, printFromDatabase);
  addKeyCommands(program, printFromDatabase);
  addTokenCommands(program, printFromDatabase);
  addDeliveryCommands(program, printFromDatabase);
  addSubscriberCommands(program, printFromDatabase, () => readConfig(env, "command"));
  addPlanCommands(program, printFromDatabase);
  addSecondFactorCommands(program, printFromDatabase);
  addArtifactCommands(program, () => readConfig(env, "command"));
  addErasureCommands(program, printFromDatabase, () => readConfig(env, "command"));
  addCellCommands(program, printFromDatabase, () => readConfig(env, "command"), env);
  addSourceMapCommands(program, env);
  addConformanceCommand(program);
  setUpRunner(program.command("agent-runner"), env); // servers serve this file as lodge-runner.mjs

  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    console.error(error instanceof OperatorError ? error.message : error);
    process.exitCode = 1;
  }
}
