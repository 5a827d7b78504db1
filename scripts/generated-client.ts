import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Code that uses the generated types: an input, an answer, errors told apart by their codes, and a call of openapi-fetch. */
const sample = `import createClient from "openapi-fetch";
import type { components, operations, paths } from "./client.ts";

type Schemas = components["schemas"];
type Refusal = operations["fileTicket"]["responses"][400]["content"]["application/json"];

export const input: Schemas["FileTicket"] = { title: "Nightly build is red", priority: "high" };
export const addressOf = (ticket: Schemas["FiledTicket"]): string => ticket.url;
export const problemsOf = (refusal: Refusal): string[] =>
  refusal.error === "invalid_input" ? refusal.details.map(({ path, message }) => \`\${path} \${message}\`) : [];
export const since = (refusal: Schemas["OrgSuspendedError"]): string => refusal.since;

const client = createClient<paths>({ baseUrl: "http://127.0.0.1:4080" });
export async function file(): Promise<string> {
  const { data, error } = await client.POST("/api/v1/tickets", { body: { title: "t", problem: "backup" } });
  if (error) return error.error === "insufficient_scope" ? error.required : error.message;
  const id: string | null = data.id;
  return "url" in data ? \`\${data.id} \${data.url}\` : \`nothing to resolve: \${id}\`;
}
export async function read(ticket: string): Promise<string | undefined> {
  const { data, error } = await client.GET("/api/v1/tickets/{ticket}", { params: { path: { ticket } } });
  return data ? data.id : error.message;
}
`;

/** Generates types from docs/openapi.json and compiles code that uses them. Returns the errors, empty if there are none. */
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
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
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
