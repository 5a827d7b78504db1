import { access, constants, mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { OperatorError } from "../errors.ts";

/** Creates the data directory, readable by its owner only. Throws an `OperatorError` if it cannot be written to. */
export async function makeDataDir(dataDir: string): Promise<void> {
  const path = resolve(dataDir);
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new OperatorError(
      `Cannot write to the data directory ${path}: ${(error as Error).message}. Set LODGE_DATA_DIR.`,
    );
  }
}
