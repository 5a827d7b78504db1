import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtempDisposable, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isolatedDeclaration } from "rolldown/experimental";
import { type BundleSize, bundleSdk } from "./bundle.ts";

const home = import.meta.dirname;

/** Writes the package's scripts, source maps and types into a folder. Returns the sizes of the scripts. */
export async function buildPackage(dist: string): Promise<BundleSize[]> {
  const sizes = await bundleSdk(dist);
  const wanted = new Set(["index.d.ts", "react.d.ts", "replies.d.ts", "widget.d.ts"]);
  for (const file of wanted) {
    const source = join(home, "src", file.replace(/\.d\.ts$/, ".ts"));
    const { code, errors } = await isolatedDeclaration(source, await readFile(source, "utf8"));
    if (errors.length > 0) throw new Error(`The types of ${file} cannot be written: ${errors[0]?.message}`);
    const published = code.replaceAll(/from "\.\/([\w-]+)\.ts"/g, (_, name: string) => {
      wanted.add(`${name}.d.ts`);
      return `from "./${name}.js"`;
    });
    if (/from "(?!\.\/|react")/.test(published))
      throw new Error(`The types of ${file} import a package that is not published.`);
    await writeFile(join(dist, file), published);
  }
  return sizes;
}

/** Packs the output of `buildPackage` into an archive for `npm install`. Needs npm. */
export async function packPackage(dist: string, file: string): Promise<void> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "lodge-sdk-"));
  const manifest = JSON.parse(await readFile(join(home, "package.json"), "utf8")) as Record<string, unknown>;
  const { private: _private, scripts: _scripts, devDependencies: _devDependencies, ...published } = manifest;
  await writeFile(join(folder.path, "package.json"), JSON.stringify(published, null, 2));
  for (const name of ["README.md", "LICENSE"]) await cp(join(home, name), join(folder.path, name));
  await cp(dist, join(folder.path, "dist"), { recursive: true });
  const { npm_node_execpath: node = process.execPath, npm_execpath: npm } = process.env;
  const [command, ...before] = npm ? [node, npm] : ["npm"];
  const run = spawnSync(command, [...before, "pack", "--ignore-scripts", "--silent"], {
    cwd: folder.path,
    encoding: "utf8",
  });
  const archive = (await readdir(folder.path)).find((name) => name.endsWith(".tgz"));
  if (run.status !== 0 || !archive) throw new Error(`npm pack failed: ${run.error ?? run.stderr}`);
  await mkdir(dirname(file), { recursive: true });
  await cp(join(folder.path, archive), file);
}
