import { hash } from "node:crypto";
import { cp, mkdir, mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPackage, packPackage } from "./build-package.ts";

const scripts = ["lodge.iife.js", "replies.iife.js", "widget.iife.js"];

/** Writes the SDK files that a server serves below `/sdk/`, with the `integrity` values of the scripts as JSON. */
export async function writeHandedOut(folder: string): Promise<void> {
  await using built = await mkdtempDisposable(join(tmpdir(), "lodge-sdk-"));
  await buildPackage(built.path);
  await mkdir(folder, { recursive: true });
  const integrity: Record<string, string> = {};
  for (const name of scripts) {
    await cp(join(built.path, name), join(folder, name));
    await cp(join(built.path, `${name}.map`), join(folder, `${name}.map`));
    integrity[name] = `sha384-${hash("sha384", await readFile(join(folder, name)), "base64")}`;
  }
  await writeFile(join(folder, "integrity.json"), JSON.stringify(integrity));
  await packPackage(built.path, join(folder, "lodge-sdk.tgz"));
}
