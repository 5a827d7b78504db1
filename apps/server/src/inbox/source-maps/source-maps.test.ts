import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import {
  getEvent,
  getProblem,
  getTicketReport,
  listAppSourceMaps,
  makeProblemCard,
  viewInbox,
} from "@lodge/contract/calls.generated";
import { operations } from "@lodge/contract/operations";
import type { SourceMapList, UploadedSourceMaps } from "@lodge/contract/sourcemaps";
import * as esbuild from "esbuild";
import { build as buildWithVite } from "vite";
import webpack from "webpack";
import { type Firefox, startFirefox } from "../../../../dashboard/test/firefox.ts";
import { sweepStore } from "../../both/retention/sweep-store.ts";
import { signedIn } from "../../testing/dashboard-client.ts";
import { movableClock } from "../../testing/movable-clock.ts";
import { runCommand } from "../../testing/start-process.ts";
import { type Service, startService } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { eventually } from "../../testing/until.ts";
import { readEvent } from "../problems/read-events.ts";
import { sweepSourceMaps } from "./sweep-source-maps.ts";

const dayMs = 86_400_000;
const clock = movableClock();
let lodge: Service;
let folder: string;
let firefox: Firefox;
let site: Site;
const started = new AsyncDisposableStack();
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "lodge-bundles-"));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  lodge = started.use(await startService({ LODGE_TICKET_RATE_PER_MINUTE: "10000" }, { clock }));
  site = started.use(await startSite());
  firefox = started.use(await startFirefox());
});
after(() => started.disposeAsync());

type Site = AsyncDisposable & { url: string };

/**
 * A website of bundles: `?page=<path>` of each file in the folder runs it, and records the stack of its error.
 */
async function startSite(): Promise<Site> {
  const page = (file: string) =>
    `<!doctype html><script>lodgeCaught = (stack) => { lodgeStack = stack; };</script><script type="module" src="/${file}"></script>`;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(`${request.url}`, "http://site");
    const file = searchParams.get("page");
    response.setHeader("content-type", file === null ? "text/javascript" : "text/html");
    if (file === null)
      createReadStream(join(folder, pathname))
        .on("error", () => response.end())
        .pipe(response);
    else response.end(page(file));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The stack with which a bundle in the folder fails in Firefox. */
async function failInFirefox(path: string): Promise<string> {
  await using profile = await firefox.openProfile();
  const tab = await profile.openTab(`${site.url}/?page=${path}`);
  return tab.run("() => lodgeStack");
}

async function makeApp() {
  const slug = `acme-${randomUUID()}`;
  const { apps, tokens, projects } = await lodge.apply({
    organisation: { name: "Acme", slug },
    members: [{ email: `ada@${slug}.test`, name: "Ada", role: "owner" }],
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
    tokens: [
      { name: "CI", scope: ["web"], permissions: ["sourcemaps:write"] },
      { name: "Bot", scope: "all", permissions: ["tickets:write"] },
    ],
    apps: [{ name: "Shop", slug: "shop", keys: ["default"] }],
  });
  const [app] = apps;
  assert.ok(app);
  const ada = await signedIn(lodge, `ada@${slug}.test`);
  const secret = tokens[0]?.secret ?? "";
  const upload = async (
    maps: Record<string, string | Uint8Array>,
    { release, token = secret, slug = "shop" }: UploadOptions = {},
  ) => {
    const form = new FormData();
    if (release !== undefined) form.set("release", release);
    for (const [file, map] of Object.entries(maps)) form.set(file, new Blob([map as string]));
    const answer = await fetch(`${lodge.url}/api/v1/apps/${slug}/source-maps`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: form,
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const send = async (envelope: Record<string, unknown>) => {
    const report = { reportId: randomUUID(), kind: "crash", ...envelope };
    return (await submitReport(lodge.url, app.keys[0]?.key ?? "", report)).eventId;
  };
  const report = async (envelope: Record<string, unknown>) => {
    const eventId = await send(envelope);
    await readEvent(lodge.deps, app.id, eventId);
    return eventId;
  };
  const event = (eventId: string) => ada.call(getEvent, { params: { eventId } });
  const problems = async () => {
    const { entries } = await ada.call(viewInbox, { params: { appId: app.id }, query: { state: "any" } });
    return entries.flatMap((entry) => (entry.type === "problem" ? [entry.problem] : []));
  };
  const columnId = projects[0]?.boards[0]?.columns[0]?.id ?? "";
  return {
    appId: app.id,
    email: `ada@${slug}.test`,
    ada,
    secret,
    otherSecret: tokens[1]?.secret ?? "",
    upload,
    send,
    report,
    event,
    problems,
    columnId,
  };
}
type UploadOptions = { release?: string; token?: string; slug?: string };

/** A shop whose checkout fails. In another version, other code comes first, so that columns and hashes differ. */
const sources = (version: string) => ({
  "src/pricing.js": `export function addTax(order) {
  if (!order.lines) {
    throw new TypeError("order has no lines: " + order.id);
  }
  return order.lines.map((line) => (line.order ? addTax(line.order) : line.price * 1.19));
}
`,
  "src/checkout.js": `import { addTax } from "./pricing.js";

export function checkOut(order, depth = 0) {
  console.assert(depth < 3, "too deep");
  const total = depth === 0 ? checkOut(order, depth + 1) : addTax(order);
  return { total, order };
}
`,
  "src/main.js": `import { checkOut } from "./checkout.js";

globalThis.lodgeShop = { version: ${JSON.stringify(version)}, features: ${JSON.stringify(version.split("."))} };
try {
  checkOut({ id: 4711 });
} catch (error) {
  globalThis.lodgeCaught(error.stack);
}
`,
});

const bundlers: Record<string, (root: string) => Promise<unknown>> = {
  vite: (root) =>
    buildWithVite({
      root,
      configFile: false,
      logLevel: "silent",
      build: {
        sourcemap: true,
        rollupOptions: { input: join(root, "src/main.js"), output: { sourcemapDebugIds: true } },
      },
    }),
  esbuild: (root) =>
    esbuild.build({
      absWorkingDir: root,
      entryPoints: ["src/main.js"],
      outdir: "dist/assets",
      entryNames: "[name]-[hash]",
      bundle: true,
      minify: true,
      sourcemap: true,
      format: "esm",
    }),
  webpack: (root) =>
    new Promise<void>((resolve, reject) => {
      webpack(
        {
          mode: "production",
          context: root,
          entry: "./src/main.js",
          devtool: "source-map",
          output: { path: join(root, "dist"), filename: "assets/main.[contenthash].js" },
          cache: false,
        },
        (error, stats) => {
          if (error || stats?.hasErrors()) reject(error ?? new Error(stats?.toString()));
          else resolve();
        },
      );
    }),
};

/** Bundles the shop and runs it here. Returns its folder, the stack that Node reports, and its bundle. */
async function bundle(name: string, version: string) {
  const root = await mkdtemp(join(folder, `${name}-`));
  await mkdir(join(root, "src"));
  await writeFile(join(root, "package.json"), '{"type":"module"}');
  for (const [path, text] of Object.entries(sources(version))) await writeFile(join(root, path), text);
  await bundlers[name]?.(root);
  const dist = join(root, "dist");
  const file = (await readdir(join(dist, "assets"))).find((path) => path.endsWith(".js")) ?? "";
  const caught = Promise.withResolvers<string>();
  Object.assign(globalThis, { lodgeCaught: caught.resolve });
  await import(pathToFileURL(join(dist, "assets", file)).href);
  // Without the frames that imported it.
  const lines = (await caught.promise).split("\n");
  const stack = lines.filter((line, index) => index === 0 || line.includes("dist/assets")).join("\n");
  Reflect.deleteProperty(globalThis, "lodgeCaught");
  Reflect.deleteProperty(globalThis, "lodgeShop");
  const map = await readFile(join(dist, "assets", `${file}.map`), "utf8");
  return {
    dist,
    file: `assets/${file}`,
    map,
    node: stack,
    chromium: inChromium(stack, dist),
    firefox: await failInFirefox(relative(folder, join(dist, "assets", file))),
  };
}

const origin = "https://shop.example.test/static";
const inChromium = (stack: string, dist: string) => stack.replaceAll(pathToFileURL(dist).href, origin);
for (const name of Object.keys(bundlers)) {
  test(`stacks of two builds of ${name}, from Node, Chromium and Firefox, are shown and grouped as in their sources`, async () => {
    const app = await makeApp();
    const events: string[] = [];
    for (const version of ["1.0.0", "1.1.0"]) {
      const built = await bundle(name, version);
      const { status } = await app.upload({ [`${built.file}.map`]: built.map }, { release: version });
      assert.equal(status, 200);
      for (const stack of [built.node, built.chromium, built.firefox]) {
        const error = { type: "TypeError", message: "order has no lines: 4711", stack };
        events.push(await app.report({ error, app: { version } }));
      }
    }
    for (const eventId of events) {
      const { error } = await app.event(eventId);
      const own = error?.frames.filter(({ isOwn }) => isOwn) ?? [];
      const { raw, function: name, file, line, column, isOwn, isMapped, isCulprit } = own[0] ?? {};
      assert.deepEqual([name, file, line], ["addTax", "src/pricing.js", 3]);
      assert.deepEqual([isOwn, isMapped, isCulprit], [true, true, true]);
      assert.ok(column === 11 || column === 15, "at `new`, or at the call if the minifier removed it");
      assert.match(raw ?? "", /assets\/main[-.][\w-]+\.js:\d+:\d+/);
      assert.deepEqual(
        own.slice(1, 3).map(({ file, function: name }) => `${name} ${file}`),
        ["checkOut src/checkout.js", "checkOut src/checkout.js"],
      );
    }
    const [problem, ...others] = await app.problems();
    assert.deepEqual([problem?.eventCount, problem?.culprit, others], [6, "addTax (src/pricing.js)", []]);
    const { hashes } = await app.ada.call(getProblem, { params: { problemId: problem?.id ?? "" } });
    assert.equal(hashes[0]?.strings[1], "addTax@src/pricing.js");
    const card = await app.ada.call(makeProblemCard, {
      params: { problemId: problem?.id ?? "" },
      body: { columnId: app.columnId },
    });
    const shown = await app.ada.call(getTicketReport, { params: { ticketId: card.ticketId } });
    assert.equal(shown.frames[0]?.file, "src/pricing.js");
  });
}

test("lodged sourcemaps upload sends the maps of a folder without storing their sources, and a report finds them by debug id", async () => {
  const app = await makeApp();
  const built = await bundle("vite", "2.0.0");
  const env = { LODGE_URL: lodge.url, LODGE_TOKEN: app.secret };
  const { code, stdout, stderr } = await runCommand(
    ["sourcemaps", "upload", built.dist, "--app", "shop", "--release", "wrong", "--json"],
    env,
  );
  assert.equal(code, 0, stderr);
  const { sourceMaps } = JSON.parse(stdout) as UploadedSourceMaps;
  const debugId = sourceMaps[0]?.debugId ?? "";
  assert.deepEqual(sourceMaps, [{ file: built.file, debugId, release: "wrong" }]);
  assert.match(debugId, /^[0-9a-f-]{36}$/);
  const error = { type: "TypeError", message: "order has no lines", stack: built.chromium };
  const known = await app.event(await app.report({ error, debugIds: { [`${origin}/${built.file}`]: debugId } }));
  assert.deepEqual([known.error?.frames[0]?.file, known.error?.frames[0]?.line], ["src/pricing.js", 3]);
  const unknown = await app.event(await app.report({ error }));
  assert.equal(unknown.error?.frames[0]?.isMapped, false, "the map has another release");
  const [kept] = await lodge.deps.db
    .selectFrom("source_maps")
    .select("store_key")
    .where("app_id", "=", app.appId)
    .execute();
  const stored = (await (await lodge.deps.store.read(kept?.store_key ?? ""))?.toArray())?.join("") ?? "";
  assert.doesNotMatch(stored, /sourcesContent|has no lines/);

  const nothing = await runCommand(["sourcemaps", "upload", join(folder, "nowhere"), "--app", "shop"], env);
  assert.deepEqual([nothing.code, /cannot be read/.test(nothing.stderr)], [2, true]);
  const refused = await runCommand(["sourcemaps", "upload", built.dist, "--app", "nowhere"], env);
  assert.deepEqual([refused.code, /app_not_found/.test(refused.stderr)], [1, true]);
});

test("the last frame of a stack, and frames after an asynchronous call, are named by the declaration around them", async () => {
  const app = await makeApp();
  const source = `export const load = async (id) => {\n  const cart = await fetchCart(id);\n  return cart.total;\n};\n`;
  // Two positions in the source: the call in its second line, and the property in its third.
  const map = { version: 3, sources: ["src/cart.ts"], names: [], sourcesContent: [source], mappings: "AACA,UACA" };
  await app.upload({ "assets/cart.js": JSON.stringify(map) }, { release: "1.0.0" });
  const stack = `TypeError: cart is null
    at async p (${origin}/assets/cart.js:1:2)
    at f (${origin}/assets/cart.js:1:12)`;
  const error = { type: "TypeError", message: "cart is null", stack };
  const shown = await app.event(await app.report({ error, app: { version: "1.0.0" } }));
  assert.deepEqual(
    shown.error?.frames.map(({ function: name, file, line }) => `${name} ${file}:${line}`),
    ["load src/cart.ts:2", "load src/cart.ts:3"],
  );
});

test("a map that is uploaded late applies to earlier events, and their problem stays as it was", async () => {
  const app = await makeApp();
  const built = await bundle("esbuild", "3.0.0");
  const error = { type: "TypeError", message: "order has no lines: 1", stack: built.chromium };
  const eventId = await app.report({ error, app: { release: "3.0.0" } });
  const [problem] = await app.problems();
  assert.equal((await app.event(eventId)).error?.frames[0]?.isMapped, false);
  // A map without a release applies to every release, but a map of the event's release takes precedence.
  await app.upload({
    [built.file]: JSON.stringify({ version: 3, sources: ["wrong.js"], names: [], mappings: "AAAA" }),
  });
  assert.equal((await app.event(eventId)).error?.frames[0]?.file, "wrong.js");
  await app.upload({ [built.file]: built.map }, { release: "3.0.0" });
  const shown = await app.event(eventId);
  assert.deepEqual([shown.error?.frames[0]?.file, shown.problem?.id], ["src/pricing.js", problem?.id]);
  await app.report({ error, app: { release: "3.0.0" } });
  assert.equal((await app.problems()).length, 2, "new reports are grouped by their sources");
});

test("only a token with the permission can upload, for apps of its organisation, and nothing serves a map", async () => {
  const app = await makeApp();
  const map = { "a.js": JSON.stringify({ version: 3, sources: ["a.ts"], names: [], mappings: "AAAA" }) };
  const refusal = async (options: UploadOptions) => {
    const { status, body } = await app.upload(map, options);
    return [status, body.error, body.required];
  };
  assert.deepEqual(await refusal({ token: app.otherSecret }), [403, "insufficient_scope", "sourcemaps:write"]);
  assert.deepEqual(await refusal({ token: "ldg_x" }), [401, "invalid_api_token", undefined]);
  assert.deepEqual(await refusal({ slug: "nowhere" }), [404, "app_not_found", undefined]);
  const other = await makeApp();
  await lodge.deps.db.updateTable("apps").set({ slug: "theirs" }).where("id", "=", other.appId).execute();
  assert.deepEqual(await refusal({ slug: "theirs" }), [404, "app_not_found", undefined]);
  assert.equal((await app.upload(map)).status, 200);
  const about = operations.filter(({ operation }) => /source-?map/i.test(operation.path));
  assert.deepEqual(about.map(({ operation }) => operation.id).sort(), [
    "listAppSourceMaps",
    "listSourceMaps",
    "uploadSourceMaps",
  ]);
});

test("an invalid or too large map is refused with a reason, and the ones before it are kept", async () => {
  const app = await makeApp();
  const map = (more: object) => JSON.stringify({ version: 3, sources: ["a.ts"], names: [], mappings: "AAAA", ...more });
  const section = (more: object) => ({ offset: { line: 0, column: 0 }, map: JSON.parse(map({})), ...more });
  const hostile: [string, string | Uint8Array, RegExp][] = [
    ["nothing", "", /not JSON/],
    ["no JSON", "{", /not JSON/],
    ["no UTF-8", new Uint8Array([0x22, 0xff, 0x22]), /not UTF-8/],
    ["a bundle", "console.log(1)", /not JSON/],
    ["version 2", map({ version: 2 }), /version 3/],
    ["null", "null", /version 3/],
    ["no mappings", map({ mappings: null }), /wrong type/],
    ["sources of numbers", map({ sources: [1] }), /wrong type/],
    ["names of lists", map({ names: [["a"]] }), /wrong type/],
    ["a nest", "[".repeat(5_000_000), /deep/],
    ["many values", `{"version":3,"x":[${"0,".repeat(3_000_000)}0]}`, /values/],
    ["many lines", map({ mappings: ";".repeat(20_000_000) }), /mappings/],
    ["many mappings", map({ mappings: "A,".repeat(10_000_000) }), /mappings/],
    ["a far section", map({ sections: [section({ offset: { line: 1e12, column: 0 } })] }), /section/],
    [
      "sections in sections",
      map({ sections: [section({ map: { version: 3, sections: [section({})] } })] }),
      /sections/,
    ],
    [
      "too many in sections",
      map({ sections: Array(30).fill(section({ map: JSON.parse(map({ mappings: ",".repeat(100_000) })) })) }),
      /mappings/,
    ],
  ];
  for (const [name, bytes, reason] of hostile) {
    // A server that is too busy to decode a map says so: retry the upload, as a build would.
    await eventually(async () => {
      const { status, body } = await app.upload({ "good.js": map({}), "bad.js.map": bytes });
      assert.deepEqual([status, body.error, body.partName], [400, "invalid_source_map", "bad.js.map"], name);
      assert.match(String(body.reason), reason, name);
    });
  }
  const large = await app.upload({ "large.js": " ".repeat(33_554_433) });
  assert.deepEqual([large.status, large.body.error], [413, "source_maps_too_large"]);
  assert.equal((await app.upload({})).body.error, "invalid_input");
  assert.equal((await app.upload({ "a.js": map({}) }, { release: "x".repeat(201) })).body.error, "invalid_input");
  assert.equal((await app.upload({ ["x".repeat(501)]: map({}) })).body.error, "invalid_input");
  // A map that decodes to nonsense leaves its frames unmapped.
  const odd = map({ sources: [], mappings: "AAgggggggggggggggggB,////,\u0000é;;zzzz" });
  assert.equal((await app.upload({ "odd.js": odd, "sections.js": map({ sections: [section({})] }) })).status, 200);
  const stack =
    "Error: x\n    at f (https://a.test/odd.js:1:1)\n    at g (https://a.test/sections.js:1:1)\n    at h (https://a.test/good.js:1:1)";
  const { error } = await app.event(await app.report({ error: { type: "Error", message: "x", stack } }));
  assert.deepEqual(
    error?.frames.map(({ isMapped }) => isMapped),
    [false, true, true],
  );
});

test("a map that can no longer be decoded is not used again, and the list says why", async () => {
  const app = await makeApp();
  const map = JSON.stringify({ version: 3, sources: ["a.ts"], names: [], mappings: "AAAA" });
  await app.upload({ "bad.js": map, "good.js": map });
  const bad = lodge.deps.db.selectFrom("source_maps").select("store_key").where("app_id", "=", app.appId);
  const { store_key: key } = await bad.where("file", "=", "bad.js").executeTakeFirstOrThrow();
  const store = { ...lodge.deps.store };
  store.read = async (asked) => (asked === key ? Readable.from([Buffer.from("{")]) : lodge.deps.store.read(asked));
  const stack = "Error: x\n    at f (https://a.test/bad.js:1:1)\n    at g (https://a.test/good.js:1:1)";
  const eventId = await app.send({ error: { type: "Error", message: "x", stack } });
  await readEvent({ ...lodge.deps, store }, app.appId, eventId);
  const isMapped = (await app.event(eventId)).error?.frames.map((frame) => frame.isMapped);
  assert.deepEqual(isMapped, [false, true]);
  const path = `${lodge.url}/api/v1/apps/shop/source-maps`;
  const list = async (token: string, url = path) => {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    return { status: answer.status, body: (await answer.json()) as SourceMapList & { error?: string } };
  };
  const { body } = await list(app.secret);
  assert.deepEqual(
    body.sourceMaps.map(({ file, unusableReason }) => [file, unusableReason]),
    [
      ["bad.js", "it cannot be decoded"],
      ["good.js", null],
    ],
  );
  assert.deepEqual([body.totalCount, body.unusableCount], [2, 1]);
  assert.deepEqual(await app.ada.call(listAppSourceMaps, { params: { appId: app.appId } }), body);
  assert.deepEqual((await list(app.otherSecret)).body.error, "insufficient_scope");
  assert.deepEqual((await list("ldg_x")).status, 401);
  assert.deepEqual((await list(app.secret, path.replace("shop", "nowhere"))).body.error, "app_not_found");
  const other = await makeApp();
  await assert.rejects(other.ada.call(listAppSourceMaps, { params: { appId: app.appId } }), { code: "app_not_found" });
  await app.upload({ "bad.js": map });
  assert.equal((await list(app.secret)).body.unusableCount, 0, "a map that is uploaded again is usable");
});

test("if the store breaks off while it sends a source map, the report is read later, with the whole map", async () => {
  const app = await makeApp();
  await app.upload({ "cut.js": JSON.stringify({ version: 3, sources: ["a.ts"], names: [], mappings: "AAAA" }) });
  const stack = "Error: x\n    at f (https://a.test/cut.js:1:1)";
  const eventId = await app.send({ error: { type: "Error", message: "x", stack } });
  const cutting = createServer((_request, response) => {
    response.writeHead(200, { "content-length": 100 }).write("{", () => response.destroy());
  }).listen(0, "127.0.0.1");
  await once(cutting, "listening");
  const { body } = await fetch(`http://127.0.0.1:${(cutting.address() as AddressInfo).port}`);
  assert.ok(body);
  const read = async () => Readable.fromWeb(body as ReadableStream);
  const cut = { ...lodge.deps, store: { ...lodge.deps.store, read } };
  await assert.rejects(readEvent(cut, app.appId, eventId), { name: "StoreError" });
  cutting.close();
  assert.deepEqual(await app.problems(), []);
  await readEvent(lodge.deps, app.appId, eventId);
  assert.deepEqual(
    (await app.problems()).map(({ culprit }) => culprit),
    ["a.ts"],
  );
});

test("replaced maps and long unused maps are deleted with their files", async () => {
  const app = await makeApp();
  const map = (source: string) => JSON.stringify({ version: 3, sources: [source], names: [], mappings: "AAAA" });
  await app.upload({ "used.js": map("first.ts"), "unused.js": map("u.ts") });
  await app.upload({ "used.js": map("second.ts") });
  const stack = "Error: x\n    at f (https://a.test/used.js:1:1)";
  const look = async () => {
    const eventId = await app.report({ error: { type: "Error", message: "x", stack } });
    const ada = await signedIn(lodge, app.email); // moving the clock ends sessions
    return (await ada.call(getEvent, { params: { eventId } })).error?.frames[0]?.file;
  };
  const kept = async () => {
    await sweepSourceMaps(lodge.deps);
    await sweepStore(lodge.deps);
    const rows = await lodge.deps.db
      .selectFrom("source_maps")
      .select(["file", "store_key"])
      .where("app_id", "=", app.appId)
      .execute();
    for (const { store_key } of rows) assert.ok(await (await lodge.deps.store.read(store_key))?.toArray(), store_key);
    return rows.map(({ file }) => file).sort();
  };
  assert.equal(await look(), "second.ts");
  assert.deepEqual(await kept(), ["unused.js", "used.js"]);
  clock.move(100 * dayMs);
  assert.equal(await look(), "second.ts");
  clock.move(100 * dayMs);
  assert.deepEqual(await kept(), ["used.js"]);
  assert.equal(await look(), "second.ts");
});
