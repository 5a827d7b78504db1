import { open } from "node:fs/promises";

/** The outcome of something asked of the file system, or undefined where the file is not there. */
export async function unlessMissing<T>(outcome: Promise<T>): Promise<T | undefined> {
  try {
    return await outcome;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Makes the names in a folder outlive a crash of the machine. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}
