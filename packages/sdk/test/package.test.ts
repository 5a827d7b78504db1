import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { mkdtempDisposable, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startService } from "../../../apps/server/src/testing/start-service.ts";
import { writeHandedOut } from "../hand-out.ts";
import { createLodge } from "../src/node.ts";

const run = promisify(execFile);
const npm = (args: string[], cwd: string) => run("npm", [...args, "--no-audit", "--no-fund"], { cwd });

async function startHandingOut() {
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await mkdtempDisposable(join(tmpdir(), "lodge-sdk-")));
  await writeFile(join(folder.path, "index.html"), "<!doctype html><title>Lodge</title>");
  await writeHandedOut(join(folder.path, "sdk"));
  const lodge = starting.use(await startService({}, { webAppDir: folder.path }));
  const started = starting.move();
  return { url: lodge.url, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

test("a server serves the scripts to any origin, with their integrity values", async () => {
  await using server = await startHandingOut();
  const integrity = (await (await fetch(`${server.url}/sdk/integrity.json`)).json()) as Record<string, string>;
  assert.deepEqual(Object.keys(integrity), ["lodge.iife.js", "replies.iife.js", "widget.iife.js"]);
  for (const [name, value] of Object.entries(integrity)) {
    const answer = await fetch(`${server.url}/sdk/${name}`);
    assert.equal(answer.status, 200, name);
    assert.equal(answer.headers.get("content-type"), "text/javascript; charset=utf-8");
    assert.equal(answer.headers.get("access-control-allow-origin"), "*");
    assert.equal(value, `sha384-${hash("sha384", Buffer.from(await answer.arrayBuffer()), "base64")}`);
  }
  assert.equal((await fetch(`${server.url}/sdk/`)).status, 404);
});

test("npm can install the package from a server, and Node and TypeScript can use it", async () => {
  await using server = await startHandingOut();
  await using app = await mkdtempDisposable(join(tmpdir(), "lodge-app-"));
  await writeFile(join(app.path, "package.json"), '{"private": true, "type": "module"}');
  await npm(["install", `${server.url}/sdk/lodge-sdk.tgz`], app.path);
  const source = `import { createLodge } from "@lodge/sdk";
import { replies } from "@lodge/sdk/replies";
import { openWidget } from "@lodge/sdk/widget";
console.log(typeof createLodge, typeof replies, typeof openWidget);
`;
  await writeFile(join(app.path, "app.ts"), source);
  await writeFile(join(app.path, "app.js"), source);
  const { stdout } = await run(process.execPath, ["app.js"], { cwd: app.path });
  assert.equal(stdout, "function function function\n");
  const tsc = fileURLToPath(new URL("../../../node_modules/typescript-7/bin/tsc", import.meta.url));
  const options = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom", "--types", ""];
  for (const module of [
    ["--module", "node16"],
    ["--module", "esnext", "--moduleResolution", "bundler"],
  ])
    await run(process.execPath, [tsc, ...options, ...module, "app.ts"], { cwd: app.path });

  const installed = join(app.path, "node_modules/@lodge/sdk");
  const files = await readdir(installed, { recursive: true });
  for (const name of ["README.md", "LICENSE", "dist/node.js", "dist/index.d.ts"]) assert.ok(files.includes(name), name);
  assert.deepEqual(
    files.filter((name) => /test/.test(name)),
    [],
  );
  const manifest = JSON.parse(await readFile(join(installed, "package.json"), "utf8")) as Record<string, unknown>;
  assert.deepEqual([manifest.private, manifest.scripts, manifest.devDependencies], [undefined, undefined, undefined]);
});

for (const name of ["sdk", "cli"]) {
  test(`npm pack builds @lodge/${name}, with its README and licence and without tests`, async () => {
    const folder = fileURLToPath(new URL(`../../${name}`, import.meta.url));
    await using packed = await mkdtempDisposable(join(tmpdir(), "lodge-pack-"));
    await npm(["pack", "--silent", "--pack-destination", packed.path], folder);
    const [archive = ""] = await readdir(packed.path);
    const { stdout } = await run("tar", ["-tzf", join(packed.path, archive)]);
    const files = stdout.trim().split("\n");
    const main = name === "sdk" ? "dist/lodge.iife.js" : "dist/lodge.mjs";
    for (const file of ["README.md", "LICENSE", main]) assert.ok(files.includes(`package/${file}`), file);
    assert.ok(!files.some((file) => /test|\.tsx?$/.test(file.replace(/\.d\.ts$/, ""))), stdout);
  });
}

test("createLodge throws on a key that is not an SDK key", () => {
  for (const key of ["", "ldg_0123456789abcdefghijklmnopq", "ldgpub_", "ldgrun_0123456789"])
    assert.throws(() => createLodge({ ingestUrl: "http://127.0.0.1:1", key }), /not an SDK key/, key);
});
