import { chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import { rolldown } from "rolldown";

/** Bundles the command into one file that runs on Node 18 without any packages. */
export async function bundleCli(file: string): Promise<void> {
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, "package.json"), "utf8")) as {
    version: string;
  };
  await using bundle = await rolldown({
    input: join(import.meta.dirname, "src/main.ts"),
    platform: "node",
    tsconfig: false,
    transform: { target: "node18", define: { __LODGE_VERSION__: JSON.stringify(version) } },
  });
  await bundle.write({ file, format: "esm", minify: true, codeSplitting: false });
  await chmod(file, 0o755);
}
