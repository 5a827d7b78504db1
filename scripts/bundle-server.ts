import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Writes `lodged` into a folder, as some 60 files instead of the 1,900 modules that a start loads, and returns the one
 * to run, with the host of commands beside it. It finds its migrations and the web app beside its sources, and hashes
 * passwords by next to no work, so it is for the tests of this machine alone. Unchanged files are not written again:
 * somebody may be running them.
 */
export async function bundleServer(folder: string): Promise<string> {
  await using bundle = await rolldown({
    input: {
      main: join(root, "apps/server/src/main.ts"),
      "command-host": join(root, "apps/server/src/testing/command-host.ts"),
    },
    platform: "node",
    tsconfig: false,
    external: ["pg-native"], // which pg looks for, and does without
    plugins: [keepAddresses, noConfiguration, cheapHashes],
  });
  const { output } = await bundle.generate({
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs",
  });
  await mkdir(folder, { recursive: true });
  for (const chunk of output) {
    const path = join(folder, chunk.fileName);
    const content = chunk.type === "chunk" ? chunk.code : chunk.source;
    if ((await readFile(path, "utf8").catch(() => undefined)) === content) continue;
    const unfinished = `${path}.${process.pid}`;
    await writeFile(unfinished, content);
    await rename(unfinished, path);
  }
  const wanted = new Set(output.map(({ fileName }) => fileName));
  for (const name of await readdir(folder)) {
    if (name.endsWith(".mjs") && !wanted.has(name)) await rm(join(folder, name), { force: true });
  }
  return join(folder, "main.mjs");
}

/**
 * The module that replaces a dependency of platform/jobs/graphile-worker.ts, by a hook that sees modules of their own
 * alone.
 */
const noConfiguration = {
  name: "no-configuration",
  resolveId: { filter: { id: /^cosmiconfig$/ }, handler: () => "\0no-configuration" },
  load: {
    filter: { id: /no-configuration$/ },
    handler: () => "export const cosmiconfigSync = () => ({ search: () => null });",
  },
};

/** People whose passwords a test has had hashed in its own process sign in here, and the other way round. */
const cheapHashes = {
  name: "cheap-hashes",
  transform: {
    filter: { id: /[/]apps[/]server[/]src[/]main\.ts$/ },
    handler: (code: string) => `import { hashCheaply } from "./testing/cheap-hashes.ts";\nhashCheaply();\n${code}`,
  },
};

/** A module goes on being where its source is. */
const keepAddresses = {
  name: "keep-addresses",
  transform: {
    filter: { id: /[/]apps[/]server[/]src[/]/, code: /import\.meta\.url/ },
    handler: (code: string, id: string) => code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href)),
  },
};
