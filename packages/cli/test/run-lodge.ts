import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after } from "node:test";
import { bundleCli } from "../bundle.ts";

/** What a run of the command ended with. */
export type Ended = { exitCode: number | null; stdout: string; stderr: string };

const folder = await mkdtemp(join(tmpdir(), "lodge-cli-"));
after(() => rm(folder, { recursive: true, force: true }));

/** The command as it is published: one file. */
export const lodgeFile = join(folder, "lodge.mjs");
await bundleCli(lodgeFile);

/** Runs the command with nothing of this process's environment but `env`, and with `stdin`. */
export async function runLodge(args: string[], env: Record<string, string> = {}, stdin = ""): Promise<Ended> {
  const child = spawn(process.execPath, [lodgeFile, ...args], { env, cwd: folder });
  child.stdin.on("error", () => {}); // it need not read it
  child.stdin.end(stdin);
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { exitCode, stdout, stderr };
}
