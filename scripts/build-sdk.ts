import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleSdk } from "../packages/sdk/bundle.ts";

// Builds what @lodge/sdk is published as: packages/sdk/dist.
const root = fileURLToPath(new URL("..", import.meta.url));
const sdk = join(root, "packages/sdk");
const dist = join(sdk, "dist");
const declarations = join(dist, "declarations");

rmSync(dist, { recursive: true, force: true });
const sizes = await bundleSdk(dist);
execFileSync(
  process.execPath,
  [
    join(root, "node_modules/typescript-7/bin/tsc"),
    ...["--project", sdk, "--noEmit", "false", "--declaration", "--emitDeclarationOnly"],
    ...["--rootDir", root, "--outDir", declarations],
  ],
  { stdio: "inherit" },
);
const wanted = new Set(["index.d.ts", "replies.d.ts", "widget.d.ts"]);
for (const file of wanted) {
  const text = readFileSync(join(declarations, "packages/sdk/src", file), "utf8");
  const published = text.replaceAll(/from "\.\/([\w-]+)\.ts"/g, (_, name: string) => {
    wanted.add(`${name}.d.ts`);
    return `from "./${name}.js"`;
  });
  if (/from "(?!\.\/)/.test(published)) throw new Error(`The types of ${file} need a package that is not published.`);
  writeFileSync(join(dist, file), published);
}
rmSync(declarations, { recursive: true });

for (const { file, gzipBytes, gzipBytesMax } of sizes) {
  console.log(`@lodge/sdk: ${file} is ${gzipBytes} bytes after gzip, of ${gzipBytesMax}`);
}
