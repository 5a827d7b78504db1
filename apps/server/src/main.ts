import { runCommandLine } from "./command-line.ts";

await runCommandLine(process.argv, process.env);
