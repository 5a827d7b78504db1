import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { startService } from "../../testing/start-service.ts";

const script = `console.log("${"lodge ".repeat(500)}");`;

async function builtApp() {
  const folder = await mkdtemp(join(tmpdir(), "lodge-web-app-"));
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), "<!doctype html><title>Lodge</title>");
  await writeFile(join(folder, "assets/index-abc123.js"), script);
  await writeFile(join(folder, "assets/index-abc123.js.br"), brotliCompressSync(script));
  await writeFile(join(folder, "assets/index-abc123.js.gz"), gzipSync(script));
  await writeFile(join(folder, "assets/font-abc123.woff2"), Buffer.from([1, 2, 3]));
  return { webAppDir: folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

test("the web app's page is served at its addresses and always revalidated", async () => {
  await using built = await builtApp();
  await using lodge = await startService({}, { webAppDir: built.webAppDir });
  for (const path of ["/", "/sign-in", "/tickets/0190a0c8-0000-7000-8000-000000000000?x=1"]) {
    const { status, headers, text } = await lodge.request("GET", path);
    assert.equal(status, 200, path);
    assert.match(text, /<title>Lodge/);
    assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
    assert.equal(headers.get("cache-control"), "no-cache");
    assert.match(headers.get("content-security-policy") ?? "", /^default-src 'self';.*frame-ancestors 'none'/);
    assert.doesNotMatch(headers.get("content-security-policy") ?? "", /unsafe|\*|data:/);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("referrer-policy"), "same-origin");
  }
});

test("hashed files are cached for a year, and compressed if the client accepts it", async () => {
  await using built = await builtApp();
  await using lodge = await startService({}, { webAppDir: built.webAppDir });
  for (const [accepted, encoding] of [
    ["br, gzip", "br"],
    ["gzip, deflate", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["identity", null],
  ] as const) {
    const answer = await lodge.request("GET", "/assets/index-abc123.js", { headers: { "accept-encoding": accepted } });
    assert.equal(answer.headers.get("content-encoding"), encoding);
    assert.equal(answer.text, script);
    assert.equal(answer.headers.get("content-type"), "text/javascript; charset=utf-8");
    assert.equal(answer.headers.get("cache-control"), "public, max-age=31536000, immutable");
    assert.equal(answer.headers.get("vary"), "accept-encoding");
  }
  const font = await lodge.request("GET", "/assets/font-abc123.woff2", { headers: { "accept-encoding": "br" } });
  assert.equal(font.headers.get("content-type"), "font/woff2");
  assert.equal(font.headers.get("content-encoding"), null);
  const head = await lodge.request("HEAD", "/assets/index-abc123.js");
  assert.deepEqual([head.status, head.text], [200, ""]);
});

test("unknown files, other folders and addresses of the API are not served", async () => {
  await using built = await builtApp();
  await using lodge = await startService({}, { webAppDir: built.webAppDir });
  for (const path of [
    "/assets/missing-abc123.js",
    "/assets/index-abc123.js.br",
    "/assets/",
    "/favicon.ico",
    "/index.html",
    "/assets/../../etc/passwd.txt",
    "/assets/%2e%2e/%2e%2e/package.json",
    "/.env",
    "/api",
    "/api/",
    "/api/dashboard/nothing",
    "/api/v2/tickets",
    "/healthz/",
    "/readyz/",
    "/readyz/?verbose",
    "/metrics/",
    "/metrics/cadvisor",
  ]) {
    const { status, body } = await lodge.request("GET", path);
    assert.equal(status, 404, path);
    assert.equal(body.error, "not_found", path);
  }
  const ticketApi = await lodge.request("PUT", "/api/v1/tickets");
  assert.deepEqual([ticketApi.status, ticketApi.headers.get("allow")], [405, "GET, POST"]);
  assert.equal((await lodge.request("POST", "/sign-in", { body: {} })).status, 404);
});

test("without a build, the page says how to build the dashboard, and the API works", async () => {
  await using lodge = await startService({}, { webAppDir: join(tmpdir(), "lodge-no-such-folder") });
  const { status, text } = await lodge.request("GET", "/");
  assert.equal(status, 503);
  assert.match(text, /npm start/);
  assert.equal((await lodge.request("GET", "/api/dashboard/setup")).status, 200);
});

test("a process without the role dashboard serves neither the web app nor its API", async () => {
  await using built = await builtApp();
  await using lodge = await startService({ LODGE_ROLES: "api" }, { webAppDir: built.webAppDir });
  for (const path of ["/", "/assets/index-abc123.js", "/api/dashboard/setup"]) {
    assert.equal((await fetch(`${lodge.url}${path}`)).status, 404);
  }
});
