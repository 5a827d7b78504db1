import { registerHooks } from "node:module";

// On import, the queue searches for a configuration file from the working directory up to the user's home, and runs it;
// it fails if the user has no home. This disables the search: all settings come from jobs.ts.
const noConfiguration = "data:text/javascript,export const cosmiconfigSync = () => ({ search: () => null });";
const hooks = registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "cosmiconfig"
      ? { url: noConfiguration, format: "module", shortCircuit: true }
      : next(specifier, context),
});
const queue = await import("graphile-worker");
hooks.deregister();

/** The job queue. */
export const { Logger, parseCronItems, run, runMigrations } = queue;
