/** A module in dependency-cruiser's output. */
export type CruisedModule = { source: string; dependencies: { resolved: string }[] };

/** One import of a file of one module by a file of another. */
type Import = { from: string; to: string };

/** Sources whose folders must have no circular dependencies. `folderOf` is undefined for a file outside of them. */
export type House = { source: string; folderOf: (file: string) => string | undefined };

/** The module that a file belongs to, such as `board/tickets`, or the part of the platform. Tests and their helpers belong to no module. */
export const server: House = {
  source: "apps/server/src/",
  folderOf: (file) => {
    const folders = file.split("/");
    if (folders.length < 2 || folders[0] === "testing" || file.endsWith(".test.ts")) return undefined;
    return folders.slice(0, 2).join("/");
  },
};

/** Every folder, with the files directly in it. */
export const dashboard: House = {
  source: "apps/dashboard/src/",
  folderOf: (file) => file.split("/").slice(0, -1).join("/") || undefined,
};

/** The circular dependencies of the folders, each with its imports. */
export function moduleCycles(modules: readonly CruisedModule[], { source, folderOf }: House): string[] {
  const folderAt = (file: string) => (file.startsWith(source) ? folderOf(file.slice(source.length)) : undefined);
  const known = new Map<string, Map<string, Import[]>>();
  for (const { source: from, dependencies } of modules) {
    for (const { resolved: to } of dependencies) {
      const [folder, other] = [folderAt(from), folderAt(to)];
      if (!folder || !other || folder === other) continue;
      const others = known.get(folder) ?? new Map<string, Import[]>();
      known.set(folder, others.set(other, [...(others.get(other) ?? []), { from, to }]));
    }
  }
  const cycles = new Map<string, string>();
  for (const folder of known.keys()) {
    const cycle = shortestCycle(known, folder);
    const names = [...new Set(cycle)].sort().join();
    if (cycle && !cycles.has(names)) cycles.set(names, describeCycle(source, known, cycle));
  }
  return [...cycles.values()];
}

/** The shortest path from a folder back to itself, including it at both ends. */
function shortestCycle(known: Map<string, Map<string, Import[]>>, start: string): string[] | undefined {
  const reached = new Set<string>();
  const ways = [[start]];
  for (const way of ways) {
    for (const next of known.get(way.at(-1) ?? "")?.keys() ?? []) {
      if (next === start) return [...way, start];
      if (!reached.has(next)) ways.push([...way, next]);
      reached.add(next);
    }
  }
  return undefined;
}

function describeCycle(source: string, known: Map<string, Map<string, Import[]>>, cycle: string[]): string {
  const imports = cycle
    .slice(1)
    .flatMap((folder, index) => known.get(cycle[index] ?? "")?.get(folder) ?? [])
    .map(({ from, to }) => `  ${from.slice(source.length)} → ${to.slice(source.length)}`);
  return [cycle.join(" → "), ...imports].join("\n");
}
