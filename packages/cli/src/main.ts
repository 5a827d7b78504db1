#!/usr/bin/env node
import { run } from "./command-line.ts";

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(); // the reader closed the pipe, as head does
});
process.exitCode = await run(process.argv.slice(2), process.env);
