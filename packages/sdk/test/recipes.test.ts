import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Plugin, rolldown } from "rolldown";
import { compile } from "svelte/compiler";
import { startBrowser } from "../../../apps/dashboard/test/browser.ts";
import { type Door, startDoor } from "../../../apps/server/src/testing/start-door.ts";
import { until } from "../../../apps/server/src/testing/until.ts";
import { bundleSdk } from "../bundle.ts";
import type { Envelope } from "../src/types.ts";
import { startSite } from "./site.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const fails = (name: string) => `throw new Error("thrown in ${name}");`;

/** The files of each app, in addition to those of its recipe. */
const apps: Record<string, Record<string, string>> = {
  react: { "app.jsx": `function Basket() { ${fails("react")} }\nexport const App = () => <Basket />;` },
  next: {
    "main.jsx": `import "./instrumentation-client.js";
import { createRoot } from "react-dom/client";
import ErrorPage from "./app/error.jsx";
createRoot(document.getElementById("root")).render(<ErrorPage error={new Error("thrown in next")} reset={() => {}} />);`,
    "server.js": `const { register, onRequestError } = await import("./instrumentation.js");
await register();
const context = { routerKind: "App Router", routePath: "/basket", routeType: "render" };
const error = Object.assign(new Error("thrown in next's server"), { digest: "17" });
await onRequestError(error, { path: "/basket", method: "GET", headers: {} }, context);
await (await import("./lodge.js")).lodge.flush();`,
  },
  vue: { "App.vue": `export default { __name: "App", setup() { ${fails("vue")} } };` },
  svelte: {
    "Basket.svelte": `<script>${fails("svelte")}</script>`,
    "main.js": `import { mount } from "svelte";
import App from "./App.svelte";
mount(App, { target: document.getElementById("root") });`,
  },
  "web workers": {
    "resize.js": `export async function resize() { ${fails("web workers")} }`,
    "main.js": `new Worker("/worker.js", { type: "module" }).postMessage("a picture");`,
  },
  express: {
    "routes.js": `import { Router } from "express";
export const routes = Router().get("/basket", () => { ${fails("express")} });`,
  },
  fastify: { "routes.js": `export const routes = async (app) => app.get("/basket", () => { ${fails("fastify")} });` },
};

const started = new AsyncDisposableStack();
let door: Door;
let folder: string;

/** Writes each app into its own folder, with the packages as npm would install them. */
before(async () => {
  door = started.use(await startDoor());
  folder = await mkdtemp(join(tmpdir(), "lodge-recipes-"));
  started.defer(() => rm(folder, { recursive: true }));
  const sdk = join(folder, "node_modules/@lodge/sdk");
  await mkdir(sdk, { recursive: true });
  await cp(join(root, "packages/sdk/package.json"), join(sdk, "package.json"));
  await bundleSdk(join(sdk, "dist"));
  for (const name of ["express", "fastify", "react", "react-dom", "svelte", "vue"])
    await symlink(join(root, "node_modules", name), join(folder, "node_modules", name));
  await writeFile(join(folder, "package.json"), '{"type": "module"}');
  const recipes = await readRecipes();
  assert.deepEqual(
    [...recipes.keys()].sort(),
    ["", ...Object.keys(apps)].sort(),
    "every recipe has an app in this test",
  );
  for (const [name, files] of Object.entries(apps)) {
    const all = { ...recipes.get(""), ...recipes.get(name), ...files };
    for (const [file, code] of Object.entries(all)) {
      await mkdir(dirname(join(folder, name, file)), { recursive: true });
      await writeFile(join(folder, name, file), code);
    }
  }
});
after(() => started.disposeAsync());

/** The files in docs/recipes.md, by heading and name. All recipes share those above the first heading. */
async function readRecipes(): Promise<Map<string, Record<string, string>>> {
  const text = await readFile(join(root, "docs/recipes.md"), "utf8");
  const filled = text.replaceAll("https://lodge.example.com", door.url).replaceAll("ldgpub_…", door.key);
  return new Map(
    filled.split(/^## /m).map((part, index) => {
      const heading = index === 0 ? "" : (part.split("\n")[0] ?? "").toLowerCase();
      const blocks = part.matchAll(/^`(\S+)`[^\n]*:\n\n```\w+\n(.*?)^```$/gms);
      return [heading, Object.fromEntries([...blocks].map(([, file = "", code = ""]) => [file, code]))];
    }),
  );
}

/** Compiles these files as Vite's plugins would. */
const components: Plugin = {
  name: "components",
  load: async (id) => {
    if (id.endsWith(".vue")) return { code: await readFile(id, "utf8"), moduleType: "js" };
    if (!/\.svelte$/.test(id)) return null;
    const { js } = compile(await readFile(id, "utf8"), { filename: id, generate: "client" });
    return { code: js.code, moduleType: "js" };
  },
};

async function build(entry: string, file: string) {
  await using bundle = await rolldown({
    input: join(folder, entry),
    platform: "browser",
    tsconfig: false,
    logLevel: "silent", // hides the warning about "use client"
    plugins: [components],
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
  });
  await bundle.write({ file: join(folder, "built", file), format: "esm" });
}

async function stored(message: string): Promise<Envelope> {
  let found: Envelope | undefined;
  await until(async () => {
    const rows = await door.deps.db.selectFrom("events").select("envelope").execute();
    const envelopes = rows.map(({ envelope }) => JSON.parse(`${envelope}`) as Envelope);
    found = envelopes.find(({ error }) => error?.message === message);
    return found !== undefined;
  });
  return found as Envelope;
}

test("the recipes for React, Next, Vue, Svelte and web workers report errors in a page", async () => {
  await build("react/main.jsx", "react.js");
  await build("next/main.jsx", "next.js");
  await build("vue/main.js", "vue.js");
  await build("svelte/main.js", "svelte.js");
  await build("web workers/main.js", "web-workers.js");
  await build("web workers/worker.js", "worker.js");
  await using site = await startSite(join(folder, "built"), door.url);
  await using browser = await startBrowser();
  const { page } = await browser.open(site.url);
  const reports: Record<string, Envelope> = {};
  for (const name of ["react", "next", "vue", "svelte", "web workers"]) {
    await page.goto("/");
    await page.evaluate(() => document.body.append(Object.assign(document.createElement("div"), { id: "root" })));
    await page.addScriptTag({ type: "module", url: `/${name.replace(" ", "-")}.js` });
    reports[name] = await stored(`thrown in ${name}`);
  }
  await page.context().close();
  assert.match(`${reports.react?.context?.componentStack}`, /Basket.*\n.*App/);
  assert.deepEqual(reports.react?.tags, { react: "caught" });
  assert.equal(reports.vue?.context?.component, "App");
  assert.deepEqual(reports.svelte?.tags, { boundary: "app" });
  assert.deepEqual(reports["web workers"]?.tags, { worker: "resize" });
});

test("the recipe for Next reports errors on the server", async () => {
  await using server = run("next");
  assert.deepEqual(await server.exited, [0, null]);
  const { tags, context } = await stored("thrown in next's server");
  assert.deepEqual([tags?.route, context?.digest], ["/basket", "17"]);
});

for (const name of ["express", "fastify"]) {
  test(`the recipe for ${name} reports errors of a route`, async () => {
    await using server = run(name);
    const ended = server.exited.then(() => assert.fail(`the app of ${name} ended`));
    const [line] = (await Promise.race([once(createInterface({ input: server.child.stdout }), "line"), ended])) as [
      string,
    ];
    ended.catch(() => {}); // the app may end from now on
    assert.equal((await fetch(`http://localhost:${line}/basket`)).status, 500);
    assert.equal((await stored(`thrown in ${name}`)).tags?.route, "/basket");
    server.child.kill("SIGTERM");
    assert.deepEqual(await server.exited, [0, null]);
  });
}

/** Runs a `server.js` so that its first line of output is its port. */
function run(name: string) {
  const tellPort = `import { Server } from "node:net";
const { listen } = Server.prototype;
Server.prototype.listen = function (...values) {
  return listen.apply(this.once("listening", () => console.log(this.address().port)), values);
};`;
  const child = spawn(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(tellPort)}`, join(folder, name, "server.js")],
    {
      stdio: ["ignore", "pipe", "inherit"],
      env: { PATH: process.env.PATH, HOME: folder, PORT: "0", NEXT_RUNTIME: "nodejs", NODE_ENV: "test" },
    },
  );
  const exited = once(child, "exit");
  return {
    child,
    exited,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
