import { createHash, randomBytes } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** The state kept from one run of `lodge events forward` to the next: where it ended, and what it signs with. */
export type ForwardState = { secret: string; next?: string };

/** Where it is kept: in the home of the user, one file for each server, app and target. */
export const forwardStateFile = (...of: string[]): string =>
  join(
    homedir(),
    ".lodge",
    `forward-${createHash("sha256").update(JSON.stringify(of)).digest("hex").slice(0, 16)}.json`,
  );

/** The kept state; a new secret where nothing was. */
export async function readForwardState(file: string): Promise<ForwardState> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    throw error;
  });
  return { secret: `whsec_${randomBytes(32).toString("base64")}`, ...(JSON.parse(text) as Partial<ForwardState>) };
}

/** Keeps it, whole or not at all, for nobody else's eyes. */
export async function keepForwardState(file: string, state: ForwardState): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
  await rename(`${file}.new`, file);
}
