import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What somebody writes who has made types of the document: an input, an answer, the refusals told apart by their codes. */
const sample = `import type { components, operations } from "./client.ts";

type Schemas = components["schemas"];
type Refusal = operations["fileTicket"]["responses"][400]["content"]["application/json"];

export const input: Schemas["FileTicket"] = { title: "Nightly build is red", priority: "high" };
export const addressOf = (ticket: Schemas["Ticket"]): string => ticket.url;
export const problemsOf = (refusal: Refusal): string[] =>
  refusal.error === "invalid_input" ? refusal.details.map(({ path, message }) => \`\${path} \${message}\`) : [];
export const since = (refusal: Schemas["OrgSuspendedError"]): string => refusal.since;
`;

/** Makes types of docs/openapi.json with a client generator, and compiles them with a use of them. Returns what is wrong. */
export function checkGeneratedClient(root: string): string {
  const folder = mkdtempSync(join(tmpdir(), "lodge-client-"));
  try {
    const out = join(folder, "client.ts");
    const generator = join(root, "node_modules/openapi-typescript/bin/cli.js");
    const made = spawnSync(process.execPath, [generator, join(root, "docs/openapi.json"), "--output", out], {
      encoding: "utf8",
    });
    if (made.status !== 0) return `${made.stdout}${made.stderr}`;
    writeFileSync(join(folder, "sample.ts"), sample);
    const compiler = join(root, "node_modules/typescript-7/bin/tsc");
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--allowImportingTsExtensions", "--module", "nodenext"];
    const compiled = spawnSync(process.execPath, [compiler, ...options, join(folder, "sample.ts")], {
      encoding: "utf8",
      cwd: folder,
    });
    return compiled.status === 0 ? "" : `${compiled.stdout}${compiled.stderr}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
