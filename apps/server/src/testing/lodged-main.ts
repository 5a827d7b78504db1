import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const variable = "TEST_LODGED";
const sources = fileURLToPath(new URL("../main.ts", import.meta.url));
const hostSources = fileURLToPath(new URL("command-host.ts", import.meta.url));

/** The file that a test runs as `lodged`: the bundle that `npm test` has built, or the sources. */
export const lodgedMain = (): string => process.env[variable] ?? sources;

/** The file of the process that runs commands of `lodged` one after another: from the same bundle, or the sources. */
export function commandHost(): string {
  const main = process.env[variable];
  return main ? join(dirname(main), "command-host.mjs") : hostSources;
}

/** The environment that names the bundle to test files. */
export const lodgedEnvironment = (main: string) => ({ [variable]: main });
