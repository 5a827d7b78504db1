#!/usr/bin/env node
import { Command } from "commander";
import { setUpRunner } from "./command-line.ts";

await setUpRunner(new Command("lodge-runner").version(__LODGE_VERSION__), process.env).parseAsync();
