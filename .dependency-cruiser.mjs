/** From the bottom up: a wing knows only those below it. Files in no wing put them together. */
const serverWings = ["platform", "people", "board", "inbox", "both", "operate"];
const dashboardWings = ["api", "ui", "session", "people", "board", "inbox", "operate", "shell"];

/** Rules for a house whose folders are these wings. */
const wingRules = (house, source, wings) => [
  {
    name: `${house}-has-no-other-wings`,
    severity: "error",
    from: { path: `^${source}(?!(${wings.join("|")}|testing)/)[^/]+/` },
    to: {},
  },
  ...wings.map((wing, index) => ({
    name: `${house}-${wing}-knows-only-what-stands-below-it`,
    severity: "error",
    from: { path: `^${source}${wing}/`, pathNot: "[.]test[.]ts$" },
    to: { path: `^${source}`, pathNot: `^${source}(${wings.slice(0, index + 1).join("|")})/` },
  })),
];

/** The import rules; docs/ARCHITECTURE.md describes them. */
export default {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "contract-knows-nobody",
      severity: "error",
      from: { path: "^packages/contract/" },
      to: { path: "^(apps|packages)/", pathNot: "^packages/contract/" },
    },
    {
      name: "packages-know-only-the-contract",
      severity: "error",
      from: {
        path: "^(packages/(sdk|cli|conformance)|apps/(dashboard|runner))/",
        pathNot: "^(packages/(sdk|cli|conformance)|apps/(dashboard|runner))/test/",
      },
      to: { path: "^(apps|packages)/", pathNot: ["^packages/contract/", "^$1/"] },
    },
    {
      name: "browser-tests-know-only-how-to-start-a-server",
      severity: "error",
      from: { path: "^(packages/(sdk|cli|conformance)|apps/(dashboard|runner))/test/" },
      to: { path: "^apps/", pathNot: ["^apps/(dashboard|runner)/", "^apps/server/src/testing/"] },
    },
    {
      name: "only-the-app-imports-routes",
      severity: "error",
      from: { pathNot: "^apps/server/src/app[.]ts$" },
      to: { path: "^apps/server/src/.+routes[.]ts$" },
    },
    {
      name: "only-the-command-line-imports-commands",
      severity: "error",
      from: { pathNot: "^apps/server/src/command-line[.]ts$" },
      to: { path: ["^apps/server/src/commands[.]ts$", "^apps/server/src/.+/commands[.]ts$"] },
    },
    {
      name: "only-tests-import-testing",
      severity: "error",
      from: { path: "^apps/server/src/", pathNot: ["[.]test[.]ts$", "^apps/server/src/testing/"] },
      to: { path: "^apps/server/src/testing/" },
    },
    {
      // Files that run in one process share what they import, and its hooks would be those of the first file alone.
      name: "only-tests-have-hooks",
      severity: "error",
      // These have the tests that two files run, each in its browser; declare a test for the file that calls them; or add
      // a hook to the test that calls them.
      from: { pathNot: "([.]test|/test-(sentry-)?in-browser|/testing/(slow-test|start-process))[.]ts$" },
      to: { path: "^(node:)?test$" },
    },
    ...wingRules("server", "apps/server/src/", serverWings),
    ...wingRules("dashboard", "apps/dashboard/src/", dashboardWings),
    { name: "resolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: ["node_modules", "^(apps/dashboard|packages/sdk)/dist/"] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
      extensions: [".ts", ".tsx", ".js", ".mjs"],
    },
  },
};
