import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, readdir, readlink } from "node:fs/promises";
import { type Git, git } from "./git.ts";

/** The limits of a tree; with more, nothing of it is taken. */
const filesMax = 100_000;
const fileBytesMax = 100 * 1_048_576;
const changedBytesMax = 500 * 1_048_576;
const submodule = "160000";

/** A tree that cannot be taken; the message says why. */
export class TreeRefusal extends Error {
  override name = "TreeRefusal";
}

/** A file of a tree: its mode and its id as git has them. */
type Entry = { mode: string; id: string };
/** Each by its path, as bytes in latin1, so that any name is one. */
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
 * Reads a directory that somebody else has written, without running anything and without following a link: regular files
 * and links as git would have them, what `.gitignore` excludes left out unless `known` has it. `onSkipped` is told of what
 * is no file of a tree: git's own directories, sockets, devices, links that lead out of it. Throws a `TreeRefusal`.
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
    if (folder !== "" && isGitDirectory(names)) return onSkipped(folder, "it is a directory of git's");
    const paths = entries.map((entry) => ({ entry, path: folder === "" ? entry.name : `${folder}/${entry.name}` }));
    // git reads it to say what is ignored, and would wait for ever for what is no file.
    if (entries.some((entry) => entry.name === ".gitignore" && !entry.isFile() && !entry.isSymbolicLink())) {
      throw new TreeRefusal(`${folder}/.gitignore is no file.`);
    }
    const ignored = await isIgnored(
      paths.flatMap(({ entry, path }) => {
        const isKnown = entry.isDirectory() ? knownFolders.has(path) : known.has(path);
        return isKnown || isOfGit(entry.name) ? [] : [entry.isDirectory() ? `${path}/` : path];
      }),
    );
    for (const { entry, path } of paths) {
      if (isOfGit(entry.name)) {
        if (path !== ".git") onSkipped(path, "its name is git's own");
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
      return onSkipped(path, "it is a link that leads out of the repository");
    }
    if (known.get(path)?.id !== entry.id && leadsIntoGit(target.toString("latin1"))) {
      return onSkipped(path, "it is a link into a directory of git's");
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
  // A submodule is there as an empty directory, whose commit only the tree that was cloned knows.
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

/** Which of these paths, a directory's with a slash behind it, are to be left out. */
export type Ignores = (paths: string[]) => Promise<ReadonlySet<string>>;

/** What to tell of a commit. */
type Message = { parent: string; branch: string; message: string; author: string; at: Date };

/**
 * Writes a commit of what differs between two readings of a directory onto its parent, in the runner's own repository:
 * through `git fast-import`, which knows no filters, attributes or hooks. Returns the commit, undefined where nothing
 * differs. Throws a `TreeRefusal`.
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

/** Reads a file of a directory that somebody else has written: no link is followed, and nothing but a file is opened. */
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

/** `.git`, as file systems that do not tell capitals or Windows would have it too. */
const isOfGit = (name: string) => /^(\.git|git~1)[. ]*$/i.test(name.replace(/[\u0080-\u00ff]/g, ""));

/** Whether a directory is a repository, whatever it is called. */
const isGitDirectory = (names: readonly string[]) =>
  names.includes("HEAD") && names.includes("objects") && names.includes("refs");

/** By its words alone: what goes up behind a name may lead out too, for the name may be another link's. */
function leadsOut(path: string, target: string): boolean {
  const parts = target.split("/").filter((part) => part !== "" && part !== ".");
  const up = parts.lastIndexOf("..") + 1;
  return target.startsWith("/") || up > foldersOf(path).length || parts.slice(0, up).some((part) => part !== "..");
}

/** By its words: into `.git`, under any of its names. */
const leadsIntoGit = (target: string): boolean => target.split("/").some(isOfGit);

const idOf = (algorithm: "sha1" | "sha256", bytes: Buffer): string =>
  createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");

/** A path as fast-import reads it, each byte that is not plain escaped. */
const quoted = (path: string): string =>
  `"${path.replace(/[^ !#-[\]-~]/g, (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`)}"`;
