import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, readdir, readlink } from "node:fs/promises";
import { type Git, git } from "./git.ts";

/** The limits of a tree. A larger one is refused as a whole. */
const filesMax = 100_000;
const fileBytesMax = 100 * 1_048_576;
const changedBytesMax = 500 * 1_048_576;
const submodule = "160000";

/** A tree that is refused, with the reason as the message. */
export class TreeRefusal extends Error {
  override name = "TreeRefusal";
}

/** A file of a tree: its Git mode and object id. */
type Entry = { mode: string; id: string };
/** Entries by path. Paths are bytes decoded as latin1, so that every name is valid. */
export type Tree = Map<string, Entry>;

/** The tree of a commit. */
export async function readCommit(repository: Git, commit: string): Promise<Tree> {
  const listed = await git(repository, ["ls-tree", "-r", "-z", "--full-tree", commit]);
  const tree: Tree = new Map();
  for (const line of listed.toString("latin1").split("\0").slice(0, -1)) {
    const [, mode = "", id = "", path = ""] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    tree.set(path, { mode, id });
  }
  return tree;
}

/**
 * Reads an untrusted directory without running anything or following links. Returns the regular files and links that
 * git would add, except for paths that `.gitignore` excludes and `known` lacks. Calls `onSkipped` for anything else:
 * Git directories, sockets, devices, links to the outside. Throws a `TreeRefusal`.
 */
export async function readTree(
  root: string,
  known: Tree,
  {
    algorithm,
    isIgnored,
    onSkipped,
  }: { algorithm: "sha1" | "sha256"; isIgnored: Ignores; onSkipped: (path: string, why: string) => void },
): Promise<Tree> {
  const tree: Tree = new Map();
  const knownFolders = new Set([...known.keys()].flatMap(foldersOf));

  async function walk(folder: string) {
    const entries = await readdir(toPath(root, folder), { withFileTypes: true, encoding: "latin1" });
    const names = entries.map(({ name }) => name);
    if (folder !== "" && isGitDirectory(names)) return onSkipped(folder, "it is a Git directory");
    const paths = entries.map((entry) => ({ entry, path: folder === "" ? entry.name : `${folder}/${entry.name}` }));
    // git check-ignore reads this file, and would wait forever for a pipe.
    if (entries.some((entry) => entry.name === ".gitignore" && !entry.isFile() && !entry.isSymbolicLink())) {
      throw new TreeRefusal(`${folder}/.gitignore is not a file.`);
    }
    const ignored = await isIgnored(
      paths.flatMap(({ entry, path }) => {
        const isKnown = entry.isDirectory() ? knownFolders.has(path) : known.has(path);
        return isKnown || isOfGit(entry.name) ? [] : [entry.isDirectory() ? `${path}/` : path];
      }),
    );
    for (const { entry, path } of paths) {
      if (isOfGit(entry.name)) {
        if (path !== ".git") onSkipped(path, "its name is reserved for Git");
        continue;
      }
      if (ignored.has(entry.isDirectory() ? `${path}/` : path)) continue;
      if (entry.isDirectory()) await walk(path);
      else if (entry.isSymbolicLink()) await takeLink(path);
      else if (entry.isFile()) await takeFile(path);
      else onSkipped(path, "it is neither a file nor a link");
      if (tree.size > filesMax) throw new TreeRefusal(`The agent's directory has more than ${filesMax} files.`);
    }
  }

  async function takeLink(path: string) {
    const target = await readlink(toPath(root, path), { encoding: "buffer" });
    const entry = { mode: "120000", id: idOf(algorithm, target) };
    if (known.get(path)?.id !== entry.id && leadsOut(path, target.toString("latin1"))) {
      return onSkipped(path, "it is a link to a place outside the repository");
    }
    if (known.get(path)?.id !== entry.id && leadsIntoGit(target.toString("latin1"))) {
      return onSkipped(path, "it is a link into a Git directory");
    }
    tree.set(path, entry);
  }

  async function takeFile(path: string) {
    const { bytes, isExecutable } = await readFileOf(root, path);
    tree.set(path, { mode: isExecutable ? "100755" : "100644", id: idOf(algorithm, bytes) });
  }

  await walk("").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EACCES" && error.code !== "ENAMETOOLONG") throw error;
    throw new TreeRefusal(`The agent's directory cannot be read: ${error.code}.`);
  });
  // A submodule is an empty directory; only the cloned tree knows its commit.
  for (const [path, entry] of known) {
    if (entry.mode !== submodule) continue;
    const isThere = await lstat(toPath(root, path)).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (isThere && ![...tree.keys()].some((other) => other.startsWith(`${path}/`))) tree.set(path, entry);
  }
  return tree;
}

/** Returns the ignored ones of these paths. Paths of directories end with a slash. */
export type Ignores = (paths: string[]) => Promise<ReadonlySet<string>>;

/** The metadata of a commit. */
type Message = { parent: string; branch: string; message: string; author: string; at: Date };

/**
 * Commits the differences between two readings of a directory to the runner's own repository. Uses `git fast-import`,
 * which ignores filters, attributes and hooks. Returns the commit, or undefined if nothing differs. Throws a
 * `TreeRefusal`.
 */
export async function commitChanges(
  repository: Git,
  root: string,
  before: Tree,
  after: Tree,
  { parent, branch, message, author, at }: Message,
): Promise<{ commit: string; paths: string[] } | undefined> {
  const written = [...after].filter(
    ([path, { id, mode }]) => before.get(path)?.id !== id || before.get(path)?.mode !== mode,
  );
  const deleted = [...before.keys()].filter((path) => !after.has(path));
  if (written.length === 0 && deleted.length === 0) return undefined;
  const ref = `refs/heads/${branch}`;
  const when = `${Math.floor(at.getTime() / 1000)} +0000`;

  async function* stream(): AsyncGenerator<Buffer> {
    const text = Buffer.from(message);
    yield Buffer.from(`commit ${ref}\ncommitter ${author} ${when}\ndata ${text.length}\n`);
    yield Buffer.concat([text, Buffer.from(`\nfrom ${parent}\n`)]);
    for (const path of deleted) yield Buffer.from(`D ${quoted(path)}\n`, "latin1");
    let changedBytes = 0;
    for (const [path, { mode, id }] of written) {
      if (mode === submodule) {
        yield Buffer.from(`M ${mode} ${id} ${quoted(path)}\n`, "latin1");
        continue;
      }
      const bytes =
        mode === "120000"
          ? await readlink(toPath(root, path), { encoding: "buffer" })
          : (await readFileOf(root, path)).bytes;
      changedBytes += bytes.length;
      if (changedBytes > changedBytesMax) throw new TreeRefusal("The agent has changed more than 500 MiB.");
      yield Buffer.from(`M ${mode} inline ${quoted(path)}\ndata ${bytes.length}\n`, "latin1");
      yield bytes;
      yield Buffer.from("\n");
    }
    yield Buffer.from("\ndone\n");
  }
  await git(repository, ["fast-import", "--quiet", "--done", "--force"], stream());
  const commit = (await git(repository, ["rev-parse", "--verify", `${ref}^{commit}`])).toString().trim();
  return { commit, paths: [...deleted, ...written.map(([path]) => path)].sort() };
}

/** Reads a file of an untrusted directory. Follows no links and opens regular files only. */
async function readFileOf(root: string, path: string): Promise<{ bytes: Buffer; isExecutable: boolean }> {
  for (const folder of foldersOf(path)) {
    if (!(await lstat(toPath(root, folder))).isDirectory())
      throw new TreeRefusal(`${folder} is no longer a directory.`);
  }
  const file = await open(toPath(root, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new TreeRefusal(`${path} is no longer a file.`);
    if (found.size > fileBytesMax) throw new TreeRefusal(`${path} has more than 100 MiB.`);
    return { bytes: await file.readFile(), isExecutable: (found.mode & 0o100) !== 0 };
  } finally {
    await file.close();
  }
}

const toPath = (root: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(root), Buffer.from("/"), Buffer.from(path, "latin1")]);

function foldersOf(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

/** Whether a name means `.git`, also on Windows and case-insensitive file systems. */
const isOfGit = (name: string) => /^(\.git|git~1)[. ]*$/i.test(name.replace(/[\u0080-\u00ff]/g, ""));

/** Whether a directory is a repository, regardless of its name. */
const isGitDirectory = (names: readonly string[]) =>
  names.includes("HEAD") && names.includes("objects") && names.includes("refs");

/** Judges the target's text only. `..` after a name may lead out too, since the name may be another link. */
function leadsOut(path: string, target: string): boolean {
  const parts = target.split("/").filter((part) => part !== "" && part !== ".");
  const up = parts.lastIndexOf("..") + 1;
  return target.startsWith("/") || up > foldersOf(path).length || parts.slice(0, up).some((part) => part !== "..");
}

/** Whether the target's text contains `.git` under any of its names. */
const leadsIntoGit = (target: string): boolean => target.split("/").some(isOfGit);

const idOf = (algorithm: "sha1" | "sha256", bytes: Buffer): string =>
  createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");

/** A path as fast-import expects it, with special bytes escaped. */
const quoted = (path: string): string =>
  `"${path.replace(/[^ !#-[\]-~]/g, (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`)}"`;
