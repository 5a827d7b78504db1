import { fileURLToPath } from "node:url";

const variable = "TEST_LODGED";
const sources = fileURLToPath(new URL("../main.ts", import.meta.url));

/** The file that a test runs as `lodged`: the bundle that `npm test` has made of it, else the sources. */
export const lodgedMain = (): string => process.env[variable] ?? sources;

/** The environment that tells test files of the bundle. */
export const lodgedEnvironment = (main: string) => ({ [variable]: main });
