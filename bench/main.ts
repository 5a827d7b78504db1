// Runs a benchmark by name: npm run bench -- tickets. Each is a module that runs on import.
type Benchmark = [measures: string, run: () => Promise<unknown>];

const benchmarks: Record<string, Benchmark> = {
  cli: ["Measures the run time of the lodge command.", () => import("./cli.ts")],
  fanout: ["Delivers events to webhooks, with and without a concurrent replay.", () => import("./fanout.ts")],
  "first-report": [
    "Measures the time from npm start to the first report on the screen.",
    () => import("./first-report.ts"),
  ],
  growth: ["Compares ten million events and a million tickets with a small database.", () => import("./growth.ts")],
  hostile: [
    "Attacks a server, and measures its memory and the latency of other clients.",
    () => import("./hostile.ts"),
  ],
  ingest: ["Sends reports of five kinds, and events of Sentry's clients.", () => import("./ingest.ts")],
  interactions: [
    "Measures keys and clicks on a board of 500 cards until the paint.",
    () => import("./interactions.ts"),
  ],
  live: ["Sends the changes of a board to 500 viewers.", () => import("./live.ts")],
  reading: ["Processes a backlog of reports with one worker and with two.", () => import("./reading.ts")],
  retention: ["Deletes expired events, by day and row by row.", () => import("./retention.ts")],
  tickets: ["Files tickets, with all checks and with one removed.", () => import("./tickets.ts")],
};

const [, run] = benchmarks[process.argv[2] ?? ""] ?? [];
if (run) {
  await run();
} else {
  const lines = Object.entries(benchmarks).map(([name, [measures]]) => `  ${name.padEnd(14)}${measures}`);
  console.error(`npm run bench -- <name>, where <name> is one of:\n${lines.join("\n")}`);
  process.exitCode = 1;
}
