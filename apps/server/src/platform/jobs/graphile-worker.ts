import { registerHooks } from "node:module";

// On being imported the queue looks for a configuration of its own, from the working directory up to the user's home, and
// runs what it finds; it fails where the user has no home. It gets all of its settings from jobs.ts instead.
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
