#!/usr/bin/env node
import { hideValues } from "@lodge/contract/hide-values";
import { Command } from "commander";
import { setUpRunner } from "./command-line.ts";

const command = new Command("lodge-runner")
  .version(__LODGE_VERSION__)
  .configureOutput({ outputError: (message, write) => write(hideValues(message)) });
await setUpRunner(command, process.env).parseAsync();
