import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Bundles `lodged` into a folder, as some 60 files instead of the 1,900 modules that a start loads. Returns the file to
 * run; the host of commands is beside it. The bundle finds its migrations and the web app in the sources, and hashes
 * passwords with almost no work, so it is only for tests on this machine. Does not rewrite unchanged files, which may
 * be running.
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

/** Replaces a dependency of platform/jobs/graphile-worker.ts. The hook there only works for separate modules. */
const noConfiguration = {
  name: "no-configuration",
  resolveId: { filter: { id: /^cosmiconfig$/ }, handler: () => "\0no-configuration" },
  load: {
    filter: { id: /no-configuration$/ },
    handler: () => "export const cosmiconfigSync = () => ({ search: () => null });",
  },
};

/** Cheap password hashes, which the tests' own process and the bundle both accept. */
const cheapHashes = {
  name: "cheap-hashes",
  transform: {
    filter: { id: /[/]apps[/]server[/]src[/]main\.ts$/ },
    handler: (code: string) => `import { hashCheaply } from "./testing/cheap-hashes.ts";\nhashCheaply();\n${code}`,
  },
};

/** Keeps `import.meta` addresses of modules in the sources. */
const keepAddresses = {
  name: "keep-addresses",
  transform: {
    filter: { id: /[/]apps[/]server[/]src[/]/, code: /import\.meta\.url/ },
    handler: (code: string, id: string) => code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href)),
  },
};
