/** What dependency-cruiser tells of a module. */
export type CruisedModule = { source: string; dependencies: { resolved: string }[] };

/** One import of a file of one room by a file of another. */
type Import = { from: string; to: string };

/** Sources whose folders know each other without circles; undefined for a file that belongs to none of them. */
export type House = { source: string; folderOf: (file: string) => string | undefined };

/**
 * The room that a file belongs to, or the district of the platform; a file that stands in none of its districts is one by
 * itself. Tests and what tests start are none.
 */
export const server: House = {
  source: "apps/server/src/",
  folderOf: (file) => {
    const [room, ...rest] = file.split("/");
    if (rest.length === 0 || room === "testing" || file.endsWith(".test.ts")) return undefined;
    return room === "platform" ? `${room}/${rest[0]}` : room;
  },
};

/** Every folder, with what stands directly in it. */
export const dashboard: House = {
  source: "apps/dashboard/src/",
  folderOf: (file) => file.split("/").slice(0, -1).join("/") || undefined,
};

/** Circles in which the folders of a house know each other, each with the imports that make it. */
export function roomCircles(modules: readonly CruisedModule[], { source, folderOf }: House): string[] {
  const roomOf = (file: string) => (file.startsWith(source) ? folderOf(file.slice(source.length)) : undefined);
  const known = new Map<string, Map<string, Import[]>>();
  for (const { source: from, dependencies } of modules) {
    for (const { resolved: to } of dependencies) {
      const [room, other] = [roomOf(from), roomOf(to)];
      if (!room || !other || room === other) continue;
      const others = known.get(room) ?? new Map<string, Import[]>();
      known.set(room, others.set(other, [...(others.get(other) ?? []), { from, to }]));
    }
  }
  const circles = new Map<string, string>();
  for (const room of known.keys()) {
    const circle = shortestCircle(known, room);
    const rooms = [...new Set(circle)].sort().join();
    if (circle && !circles.has(rooms)) circles.set(rooms, describeCircle(source, known, circle));
  }
  return [...circles.values()];
}

/** The shortest way from a room back to itself, that room at both ends. */
function shortestCircle(known: Map<string, Map<string, Import[]>>, start: string): string[] | undefined {
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

function describeCircle(source: string, known: Map<string, Map<string, Import[]>>, circle: string[]): string {
  const imports = circle
    .slice(1)
    .flatMap((room, index) => known.get(circle[index] ?? "")?.get(room) ?? [])
    .map(({ from, to }) => `  ${from.slice(source.length)} → ${to.slice(source.length)}`);
  return [circle.join(" → "), ...imports].join("\n");
}
