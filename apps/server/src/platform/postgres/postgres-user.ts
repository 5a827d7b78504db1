import { spawnSync } from "node:child_process";
import { realpath, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { OperatorError } from "../errors.ts";

const unprivilegedUid = 65_534;
const namespace = ["--user", `--map-user=${unprivilegedUid}`, `--map-group=${unprivilegedUid}`];

/** A program of PostgreSQL for `spawn`. */
type Command = { command: string; args: string[]; uid?: number; gid?: number };

/**
 * The user that runs PostgreSQL: a description, the command for its programs, and the owner that the data directory
 * needs.
 */
export type PostgresUser = {
  description: string;
  command: (program: string, args: string[]) => Command;
  newOwner: { uid: number; gid: number } | undefined;
};

/**
 * Chooses the user that runs PostgreSQL, which refuses to run as root and must own its files. `dataDir` and `cluster`
 * need not exist yet. Changes nothing. Throws an `OperatorError` if there is no such user.
 */
export async function choosePostgresUser(binaries: string, dataDir: string, cluster: string): Promise<PostgresUser> {
  const direct = (program: string, args: string[]): Command => ({ command: join(binaries, program), args });
  const me = process.getuid?.();
  const clusterOwner = await ownerOf(cluster);
  if (me !== 0) {
    if (clusterOwner && clusterOwner.uid !== me) {
      throw new OperatorError(
        `${cluster} belongs to the user ${clusterOwner.uid}, but Lodge runs as ${me}. ` +
          `Start it as ${clusterOwner.uid}, or set LODGE_DATA_DIR.`,
      );
    }
    if (clusterOwner || hasName()) return { description: `the user ${me}`, command: direct, newOwner: undefined };
    // A container may run as a user without an entry in /etc/passwd, but initdb needs the user's name.
    if (namespacesWork()) return { ...inNamespace(binaries), description: `the user ${me}, in a user namespace` };
    throw new OperatorError(
      `initdb refuses to make a database for the user ${me}, which has no name in /etc/passwd. ` +
        "Add one, allow user namespaces (unshare), or set DATABASE_URL.",
    );
  }

  const owner = clusterOwner ?? (await ownerOf(dataDir));
  const rootOwns = owner === undefined || owner.uid === 0;
  if (rootOwns && namespacesWork()) return { ...inNamespace(binaries), description: "root, in a user namespace" };

  const { uid, gid } = rootOwns ? { uid: unprivilegedUid, gid: unprivilegedUid } : owner;
  for (const [path, what] of [
    [binaries, "the PostgreSQL binaries"],
    [dataDir, "the data directory"],
  ] as const) {
    const closed = await firstClosedFolder(path, uid);
    if (closed) {
      throw new OperatorError(
        `PostgreSQL refuses to run as root, and as the user ${uid} it cannot reach ${what}: ${closed} is closed to it. ` +
          "Start Lodge as an ordinary user, allow user namespaces (unshare), use open folders, or set DATABASE_URL.",
      );
    }
  }
  return {
    description: `the user ${uid}`,
    command: (program, args) => ({ ...direct(program, args), uid, gid }),
    newOwner: rootOwns ? { uid, gid } : undefined,
  };
}

const namespacesWork = () => spawnSync("unshare", [...namespace, "true"]).status === 0;

/** In a user namespace, PostgreSQL sees the current user, such as root, as an ordinary user who owns its files. */
const inNamespace = (binaries: string): Omit<PostgresUser, "description"> => ({
  command: (program, args) => ({ command: "unshare", args: [...namespace, join(binaries, program), ...args] }),
  newOwner: undefined,
});

function hasName(): boolean {
  try {
    return userInfo().username.length > 0;
  } catch {
    return false;
  }
}

async function ownerOf(path: string): Promise<{ uid: number; gid: number } | undefined> {
  return stat(path).catch(() => undefined);
}

/** The topmost folder above `path` that a user cannot enter. */
async function firstClosedFolder(path: string, uid: number): Promise<string | undefined> {
  const parent = dirname(await realpath(path).catch(() => path));
  if (parent === path) return undefined;
  const above = await firstClosedFolder(parent, uid);
  if (above) return above;
  const found = await stat(parent).catch(() => undefined);
  const enter = found?.uid === uid ? 0o100 : 0o001;
  return found && (found.mode & enter) === 0 ? parent : undefined;
}
