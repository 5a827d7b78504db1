/** What dependency-cruiser tells of a module. */
export type CruisedModule = { source: string; dependencies: { resolved: string }[] };

/** One import of a file of one room by a file of another. */
type Import = { from: string; to: string };

const source = "apps/server/src/";

/**
 * The room that a file belongs to, or the district of the platform; a file that stands in none of its districts is one by
 * itself. Tests and what tests start are none.
 */
function roomOf(file: string): string | undefined {
  if (!file.startsWith(source) || file.endsWith(".test.ts")) return undefined;
  const [room, ...rest] = file.slice(source.length).split("/");
  if (rest.length === 0 || room === "testing") return undefined;
  return room === "platform" ? `${room}/${rest[0]}` : room;
}

/** Circles in which rooms or districts know each other, each with the imports that make it. */
export function roomCircles(modules: readonly CruisedModule[]): string[] {
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
    if (circle && !circles.has(rooms)) circles.set(rooms, describeCircle(known, circle));
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

function describeCircle(known: Map<string, Map<string, Import[]>>, circle: string[]): string {
  const imports = circle
    .slice(1)
    .flatMap((room, index) => known.get(circle[index] ?? "")?.get(room) ?? [])
    .map(({ from, to }) => `  ${from.slice(source.length)} → ${to.slice(source.length)}`);
  return [circle.join(" → "), ...imports].join("\n");
}
