import { randomBytes, randomUUID } from "node:crypto";
import { link, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OperatorError } from "../errors.ts";
import type { Config } from "./config.ts";

/**
 * What signs sessions and links: LODGE_SECRET, or one that is made at the first start and kept in the data directory,
 * readable by its owner alone. Processes that start at the same time agree on one.
 */
export async function readSecret({ secret, dataDir }: Config): Promise<string> {
  if (secret) return secret;
  const path = join(dataDir, "secret");
  return (await readKept(path)) ?? makeSecret(path);
}

async function readKept(path: string): Promise<string | undefined> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new OperatorError(`Cannot read the secret ${path}: ${error.message}`);
  });
  if (text !== undefined && text.trim().length < 32) {
    throw new OperatorError(
      `The secret ${path} is too short: delete the file, which signs everybody out, or set LODGE_SECRET.`,
    );
  }
  return text?.trim();
}

/** Written whole under another name, then linked: the first one stays. */
async function makeSecret(path: string): Promise<string> {
  const unfinished = `${path}.unfinished-${randomUUID()}`;
  await writeFile(unfinished, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flush: true });
  await link(unfinished, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await unlink(unfinished);
  const kept = await readKept(path);
  if (!kept) throw new OperatorError(`Cannot keep a secret in ${path}.`);
  return kept;
}
