// Runs a benchmark by name: npm run bench -- tickets. Each is a module that runs when it is imported.
type Benchmark = [measures: string, run: () => Promise<unknown>];

const benchmarks: Record<string, Benchmark> = {
  cli: ["Times lodge from its start to its end.", () => import("./cli.ts")],
  fanout: ["Delivers events to webhooks, with and without a replay beside it.", () => import("./fanout.ts")],
  "first-report": ["Times npm start until the first report is on the screen.", () => import("./first-report.ts")],
  growth: ["Compares ten million events and a million tickets with a small database.", () => import("./growth.ts")],
  hostile: ["Attacks a server, and measures its memory and how long others wait.", () => import("./hostile.ts")],
  ingest: ["Sends reports in five shapes, and events of Sentry's clients.", () => import("./ingest.ts")],
  interactions: [
    "Times keys and clicks on a board of 500 cards until they are painted.",
    () => import("./interactions.ts"),
  ],
  live: ["Sends what happens on a board to 500 viewers.", () => import("./live.ts")],
  reading: ["Reads a backlog of reports into inboxes with one worker and with two.", () => import("./reading.ts")],
  retention: ["Deletes events whose retention is over, by day and row by row.", () => import("./retention.ts")],
  tickets: ["Files tickets, with every check and with one taken out.", () => import("./tickets.ts")],
};

const [, run] = benchmarks[process.argv[2] ?? ""] ?? [];
if (run) {
  await run();
} else {
  const lines = Object.entries(benchmarks).map(([name, [measures]]) => `  ${name.padEnd(14)}${measures}`);
  console.error(`npm run bench -- <name>, where <name> is one of:\n${lines.join("\n")}`);
  process.exitCode = 1;
}
