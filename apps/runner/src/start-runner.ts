import type { Asked } from "./asked.ts";
import { checkSettings } from "./check-settings.ts";
import { readSettings } from "./read-settings.ts";
import { RunnerError, runAgentRunner } from "./run-agent-runner.ts";
import { hostOf } from "./runner-settings.ts";

/** Checks the settings, or starts a runner that works until it is stopped. Any problem sets the exit code to 2. */
export async function startRunner(asked: Asked, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const { settings, wrong } = await readSettings(asked);
  const checks = asked.check || wrong.length === 0;
  const all = [...wrong, ...(checks ? await checkSettings(settings, env, hostOf(env), asked.check) : [])];
  for (const sentence of all) console.error(sentence);
  if (all.length > 0) process.exitCode = 2;
  else if (asked.check) console.log("All settings are valid.");
  if (asked.check || all.length > 0) return;
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort());
  console.error(`Waiting for runs at ${asked.url}, with the token in ${asked.tokenFile}.`);
  await runAgentRunner(settings, env, (line) => console.error(line), stop.signal).catch((error: unknown) => {
    if (!(error instanceof RunnerError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  });
}
