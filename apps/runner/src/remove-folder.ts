import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";
import type { HostEnvironment } from "./sandbox.ts";

const run = promisify(execFile);

/** Removes an untrusted directory, even if parts are unreadable or very deeply nested. */
export async function removeFolder(folder: string, { PATH }: HostEnvironment): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(async () => {
    const env = { PATH };
    await run("chmod", ["-R", "u+rwX", "--", folder], { env }).catch(() => {}); // rm reports what chmod could not change
    await run("rm", ["-rf", "--", folder], { env });
  });
}
