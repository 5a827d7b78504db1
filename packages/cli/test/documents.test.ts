import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import type { Permission } from "@lodge/contract/roles";
import { startService } from "../../../apps/server/src/testing/start-service.ts";
import { bundleSdk } from "../../sdk/bundle.ts";
import { lodgeFile } from "./run-lodge.ts";

const folder = await mkdtemp(join(tmpdir(), "lodge-documents-"));
after(() => rm(folder, { recursive: true, force: true }));
await copyFile(lodgeFile, join(folder, "lodge.mjs"));
await writeFile(join(folder, "build.log"), "error: it broke\n");
await symlink(lodgeFile, join(folder, "lodge"));
await symlink(process.execPath, join(folder, "node"));
const installed = join(folder, "node_modules/@lodge/sdk");
await mkdir(installed, { recursive: true });
await copyFile(new URL("../../sdk/package.json", import.meta.url), join(installed, "package.json"));
await bundleSdk(join(installed, "dist"));
const lodge = await startService({}, { webAppDir: folder });
after(() => lodge[Symbol.asyncDispose]());

/** The permissions of the demo organisation's token. */
const permissions: Permission[] = [
  "tickets:write",
  "tickets:read",
  "tickets:edit",
  "projects:read",
  "events:read",
  "problems:read",
];

let env: Record<string, string>;

before(async () => {
  const { tokens, apps } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog", "Done"] }] }],
    tokens: [{ name: "CI", scope: ["web"], permissions }],
    apps: [{ name: "iOS", slug: "ios", keys: ["default"] }],
  });
  const token = tokens[0]?.secret ?? "";
  const { body } = await lodge.fileTicket(token, { title: "t" });
  const headers = { authorization: `Bearer ${token}` };
  const read = await lodge.request("GET", `/api/v1/tickets/${body.id}`, { headers });
  assert.equal(read.body.number, "WEB-1", "the documents use this number");
  env = {
    LODGE_URL: lodge.url,
    LODGE_TOKEN: token,
    LODGE_KEY: apps[0]?.keys[0]?.key ?? "",
    TICKET: String(body.id),
  };
});

const readDocument = (name: string) => readFile(new URL(`../../../docs/${name}`, import.meta.url), "utf8");
const blocksOf = (document: string, language: string) =>
  [...document.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))].map(([, block]) => block ?? "");

/** Runs lines of a document; fails if a line fails or prints an error of the API. */
async function runLines(lines: string) {
  const child = spawn("bash", ["-e", "-c", lines], {
    cwd: folder,
    env: { PATH: `${folder}:${process.env.PATH}`, HOME: folder, ...env },
  });
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  assert.deepEqual([exitCode, stdout.includes('"error"')], [0, false], `${lines}\n${stdout}${stderr}`);
  assert.notEqual(stdout, "", lines);
}

test("the examples of the API reference work", async () => {
  const { body } = await lodge.request("GET", "/openapi.json");
  type Samples = { "x-codeSamples"?: { lang: string; source: string }[] };
  const paths = body.paths as Record<string, Record<string, Samples>>;
  const samples = Object.values(paths).flatMap((path) =>
    Object.values(path).flatMap((each) => each["x-codeSamples"] ?? []),
  );
  assert.ok(samples.length >= 11);
  for (const { lang, source } of samples) {
    if (lang === "javascript") await writeFile(join(folder, "sample.mjs"), source);
    await runLines(lang === "javascript" ? "node sample.mjs" : source);
  }
});

test("the shell examples of the quick start, the ticket API and the webhooks page work", async () => {
  const lines = [
    ...blocksOf(await readDocument("quick-start.md"), "sh"),
    ...blocksOf(await readDocument("ticket-api.md"), "sh"),
    ...blocksOf(await readDocument("webhooks.md"), "sh"),
  ];
  const runnable = lines.filter((block) => block.includes("$LODGE_URL"));
  assert.ok(runnable.length >= 5);
  for (const block of runnable) await runLines(block);
});

test("the raw HTTP request on the ingestion page is accepted", async () => {
  const [request = ""] = blocksOf(await readDocument("ingestion.md"), "http");
  const bytes = request.replaceAll("\n", "\r\n").replace("ldgpub_…", env.LODGE_KEY ?? "");
  const { hostname, port } = new URL(lodge.url);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  const answer = String((await once(socket, "data"))[0]);
  socket.destroy();
  assert.match(answer, /^HTTP\/1\.1 200 /);
  assert.match(answer, /"idempotent":false/);
});
