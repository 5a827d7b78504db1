import { chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import { rolldown } from "rolldown";

/** Bundles the runner into one file that runs on Node 20 without any packages. */
export async function bundleRunner(file: string): Promise<void> {
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, "package.json"), "utf8")) as {
    version: string;
  };
  await using bundle = await rolldown({
    input: join(import.meta.dirname, "src/main.ts"),
    platform: "node",
    tsconfig: false,
    transform: { target: "node20.18", define: { __LODGE_VERSION__: JSON.stringify(version) } },
  });
  await bundle.write({ file, format: "esm", minify: true, codeSplitting: false });
  await chmod(file, 0o755);
}
