import { createHash, randomBytes } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** The state that `lodge events forward` saves between runs: the cursor and the signing secret. */
export type ForwardState = { secret: string; next?: string };

/** The file of the state, in the user's home: one for each server, app and target. */
export const forwardStateFile = (...of: string[]): string =>
  join(
    homedir(),
    ".lodge",
    `forward-${createHash("sha256").update(JSON.stringify(of)).digest("hex").slice(0, 16)}.json`,
  );

/** The saved state; a new secret if there is none. */
export async function readForwardState(file: string): Promise<ForwardState> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    throw error;
  });
  return { secret: `whsec_${randomBytes(32).toString("base64")}`, ...(JSON.parse(text) as Partial<ForwardState>) };
}

/** Saves the state atomically, readable by the user only. */
export async function keepForwardState(file: string, state: ForwardState): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
  await rename(`${file}.new`, file);
}
