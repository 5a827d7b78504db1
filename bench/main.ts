// Runs a benchmark by name: npm run bench -- tickets. Each is a module that runs when it is imported.
const benchmarks: Record<string, () => Promise<unknown>> = {
  agent: () => import("./agent.ts"),
  cells: () => import("./cells.ts"),
  cli: () => import("./cli.ts"),
  fanout: () => import("./fanout.ts"),
  "first-report": () => import("./first-report.ts"),
  growth: () => import("./growth.ts"),
  hostile: () => import("./hostile.ts"),
  inbox: () => import("./inbox.ts"),
  ingest: () => import("./ingest.ts"),
  installs: () => import("./installs.ts"),
  interactions: () => import("./interactions.ts"),
  live: () => import("./live.ts"),
  pages: () => import("./pages.ts"),
  reading: () => import("./reading.ts"),
  retention: () => import("./retention.ts"),
  search: () => import("./search.ts"),
  tenants: () => import("./tenants.ts"),
  tickets: () => import("./tickets.ts"),
};

const name = process.argv[2] ?? "";
const run = benchmarks[name];
if (run) {
  await run();
} else {
  console.error(`npm run bench -- <name>, where <name> is one of: ${Object.keys(benchmarks).join(", ")}`);
  process.exitCode = 1;
}
