import { randomBytes, randomUUID } from "node:crypto";
import { link, readFile, stat, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OperatorError } from "../errors.ts";
import type { Config } from "./config.ts";
import { type SealingKeys, sealingKeys } from "./seal.ts";

/**
 * The secret that signs sessions and links: LODGE_SECRET, or one that the first start creates in the data directory,
 * readable by its owner only. Processes that start at the same time use the same one. Throws an `OperatorError` if
 * other users can write to it.
 */
export async function readSecret({ secret, dataDir }: Config): Promise<string> {
  if (secret) return secret;
  const path = secretPath(dataDir);
  return (await readKept(path)) ?? makeSecret(path);
}

/**
 * The secret of the servers, for a command. Undefined with an external database but without LODGE_SECRET, since the
 * data directory may then belong to no server.
 */
const findServersSecret = async (config: Config): Promise<string | undefined> =>
  config.databaseUrl && !config.secret ? undefined : readSecret(config);

/** Like `findServersSecret`, but throws an `OperatorError` if the secret is not known. */
async function readServersSecret(config: Config): Promise<string> {
  const secret = await findServersSecret(config);
  if (secret === undefined) throw new OperatorError("Set LODGE_SECRET to the secret of the servers.");
  return secret;
}

/** The keys of stored secrets, for a command; undefined if the secret of the servers is not known. */
export async function findSealingKeys(config: Config): Promise<SealingKeys | undefined> {
  const secret = await findServersSecret(config);
  return secret === undefined ? undefined : sealingKeys(secret, config.previousSecret);
}

/** Like `findSealingKeys`, but throws an `OperatorError` if the secret is not known. */
export const readSealingKeys = async (config: Config): Promise<SealingKeys> =>
  sealingKeys(await readServersSecret(config), config.previousSecret);

/** The file of the secret without LODGE_SECRET. */
export const secretPath = (dataDir: string): string => join(dataDir, "secret");

const writableByOthers = 0o022;

async function readKept(path: string): Promise<string | undefined> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new OperatorError(`Cannot read the secret ${path}: ${error.message}`);
  });
  if (text !== undefined && process.platform !== "win32" && ((await stat(path)).mode & writableByOthers) !== 0) {
    throw new OperatorError(
      `Other users can write to the secret ${path}, and could use it to sign in as anybody. Check that nobody ` +
        `changed it (or delete it, which signs everybody out), then run chmod 600 ${path}`,
    );
  }
  if (text !== undefined && text.trim().length < 32) {
    throw new OperatorError(
      `The secret ${path} is too short: delete the file, which signs everybody out, or set LODGE_SECRET.`,
    );
  }
  return text?.trim();
}

/** Writes a file with a temporary name and then links it, so that the first process wins. */
async function makeSecret(path: string): Promise<string> {
  const unfinished = `${path}.unfinished-${randomUUID()}`;
  await writeFile(unfinished, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flush: true });
  await link(unfinished, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await unlink(unfinished);
  const kept = await readKept(path);
  if (!kept)
    throw new OperatorError(`Cannot store a secret in ${path}. Set LODGE_SECRET, or LODGE_DATA_DIR to another folder.`);
  return kept;
}
