import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type OutputOptions, rolldown } from "rolldown";

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8")) as { version: string };

type Bundle = { entry: string; file: string; node?: boolean; global?: string; gzipBytesMax?: number };

/** The bundles of the package; `gzipBytesMax` is the size limit of each after gzip. */
const bundles: Bundle[] = [
  { entry: "index.ts", file: "index.js", gzipBytesMax: 10_000 },
  { entry: "index.ts", file: "lodge.iife.js", global: "Lodge", gzipBytesMax: 10_000 },
  { entry: "widget.ts", file: "widget.js", gzipBytesMax: 12_000 },
  { entry: "widget.ts", file: "widget.iife.js", global: "LodgeWidget", gzipBytesMax: 12_000 },
  { entry: "replies.ts", file: "replies.js", gzipBytesMax: 4000 },
  { entry: "replies.ts", file: "replies.iife.js", global: "LodgeReplies", gzipBytesMax: 4000 },
  { entry: "react.ts", file: "react.js", gzipBytesMax: 1000 },
  { entry: "node.ts", file: "node.js", node: true },
];

/** A file of the package, and its size after gzip. */
export type BundleSize = { file: string; gzipBytes: number; gzipBytesMax: number };

/** Writes the package's scripts and source maps into a folder; returns the sizes of the scripts that have a limit. */
export async function bundleSdk(folder: string): Promise<BundleSize[]> {
  const sizes: BundleSize[] = [];
  for (const { entry, file, node, global, gzipBytesMax } of bundles) {
    const output: OutputOptions = {
      file: join(folder, file),
      minify: !node,
      comments: false,
      sourcemap: true,
      generatedCode: { symbols: false },
      ...(global ? { format: "iife", name: global } : { format: "esm" }),
    };
    await using bundle = await rolldown({
      input: join(import.meta.dirname, "src", entry),
      platform: node ? "node" : "browser",
      external: ["react"],
      tsconfig: false,
      transform: { target: node ? "node18" : "es2022", define: { __SDK_VERSION__: JSON.stringify(version) } },
    });
    const [chunk] = (await bundle.write(output)).output;
    if (gzipBytesMax) sizes.push({ file, gzipBytes: gzipSync(chunk.code, { level: 9 }).length, gzipBytesMax });
  }
  return sizes;
}
