const rooms = "^apps/server/src/(?!platform/|testing/)[^/]+/";

/** Who may know whom: docs/ARCHITECTURE.md says it in words. */
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
      from: { path: "^(packages/(sdk|cli)|apps/dashboard)/", pathNot: "^(packages/(sdk|cli)|apps/dashboard)/test/" },
      to: { path: "^(apps|packages)/", pathNot: ["^packages/contract/", "^$1/"] },
    },
    {
      name: "browser-tests-know-only-how-to-start-a-server",
      severity: "error",
      from: { path: "^(packages/(sdk|cli)|apps/dashboard)/test/" },
      to: { path: "^apps/", pathNot: ["^apps/dashboard/test/", "^apps/server/src/testing/"] },
    },
    {
      name: "platform-knows-no-room",
      severity: "error",
      from: { path: "^apps/server/src/platform/", pathNot: "[.]test[.]ts$" },
      to: { path: "^apps/server/src/", pathNot: "^apps/server/src/platform/" },
    },
    {
      name: "rooms-know-rooms-and-the-platform",
      severity: "error",
      from: { path: rooms, pathNot: "[.]test[.]ts$" },
      to: { path: "^apps/server/src/([^/]+[.]ts$|testing/)" },
    },
    {
      name: "the-runner-knows-only-the-contract",
      severity: "error",
      from: { path: "^apps/server/src/agents/runner/", pathNot: "[.]test[.]ts$" },
      to: { path: "^apps/server/src/", pathNot: "^apps/server/src/agents/runner/" },
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
      from: { pathNot: "[.]test[.]ts$" },
      to: { path: "^(node:)?test$" },
    },
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
