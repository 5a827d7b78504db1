import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { sentryVitePlugin } from "@sentry/bundler-plugins/vite";
import { build } from "vite";
import { type Door, startDoor } from "../../../apps/server/src/testing/start-door.ts";
import { until } from "../../../apps/server/src/testing/until.ts";
import { runLodge } from "../../cli/test/run-lodge.ts";
import type { browsers, Profile, RealBrowser, Tab } from "./browsers.ts";
import { type Site, startSite } from "./site.ts";

declare global {
  // The globals of the page's script: sentry-page.js.
  var start: (options: object) => void;
  var startOffline: (options: object) => void;
  var failLater: () => void;
  var giveFeedback: () => Promise<string>;
  var renderFailing: () => void;
  var capture: (text: string) => void;
  var sendTwice: (message: string) => Promise<void>;
  var captureAll: (texts: string[]) => Promise<void>;
}

type Frame = { function?: string; file?: string; line?: number };
type Received = {
  reportId: string;
  kind: string;
  message?: string;
  platform: string;
  tags?: Record<string, string>;
  user?: Record<string, string>;
  app?: Record<string, string>;
  attachments?: { filename: string }[];
  device: { userAgent: string };
  debugIds?: Record<string, string>;
  breadcrumbs?: { category: string; message: string }[];
  error?: { type: string; message: string; frames: Frame[]; causes?: { type: string; message: string }[] };
};

/** The tests of Sentry's unmodified browser and React clients in one browser. Firefox is in the slow tier. */
export function testSentryInBrowser({ name, start: startBrowser }: (typeof browsers)[keyof typeof browsers]): void {
  describe(`Sentry's clients in ${name}`, () => {
    const started = new AsyncDisposableStack();
    let browser: RealBrowser;
    let scripts: string;
    before(async () => {
      scripts = await mkdtemp(join(tmpdir(), "lodge-sentry-"));
      started.defer(() => rm(scripts, { recursive: true }));
      await bundle(scripts);
      browser = started.use(await startBrowser());
    });
    after(() => started.disposeAsync());

    /** A tab with the script on a website, whose origin differs from the server's. */
    async function openShop(): Promise<AsyncDisposable & { door: Door; site: Site; profile: Profile; tab: Tab }> {
      await using opened = new AsyncDisposableStack();
      const door = opened.use(await startDoor());
      const site = opened.use(await startSite(scripts, door.url));
      const profile = opened.use(await browser.openProfile());
      const tab = await profile.openTab(site.url);
      const all = opened.move();
      return { door, site, profile, tab, [Symbol.asyncDispose]: () => all.disposeAsync() };
    }

    test("an uncaught error arrives with its cause and the debug id of its file", async () => {
      await using shop = await openShop();
      const release = { release: "shop@1.2.3+45", environment: "staging" };
      await shop.tab.run((options) => start(options), { dsn: shop.door.dsn, ...release });
      await shop.tab.run(() => failLater());
      const [report] = await received(shop.door, 1);
      assert.deepEqual([report?.kind, report?.platform], ["crash", "javascript"]);
      assert.deepEqual([report?.error?.type, report?.error?.message], ["RangeError", "nothing in the cart"]);
      assert.deepEqual(
        report?.error?.causes?.map(({ type, message }) => [type, message]),
        [["TypeError", "no lines"]],
      );
      assert.equal(report?.tags?.flow, "checkout");
      assert.deepEqual(report?.user, { id: "u-1", email: "ada@example.test" });
      assert.ok(report?.breadcrumbs?.some(({ category, message }) => category === "cart" && message === "added"));
      assert.deepEqual(report?.app, { ...release, version: "1.2.3", build: "45" });
      assert.equal(report?.attachments?.[0]?.filename, "cart.log");
      assert.match(report?.device.userAgent ?? "", name === "Firefox" ? /Firefox/ : /Chrome/);

      const { tokens } = await shop.door.apply({
        organisation: { name: "Acme", slug: "acme" },
        tokens: [{ name: "CI", scope: "all", permissions: ["sourcemaps:write"] }],
      });
      const uploaded = await runLodge(["sourcemaps", "upload", scripts, "--app", "web", "--json"], {
        LODGE_URL: shop.door.url,
        LODGE_TOKEN: tokens[0]?.secret ?? "",
      });
      const { sourceMaps } = JSON.parse(uploaded.stdout) as { sourceMaps: { file: string; debugId: string }[] };
      const file = report?.error?.frames[0]?.file ?? "";
      assert.equal(file, `${shop.site.url}/lodge.iife.js`);
      assert.deepEqual([sourceMaps[0]?.file, sourceMaps[0]?.debugId], ["lodge.iife.js", report?.debugIds?.[file]]);
    });

    test("feedback arrives with a reference to its event", async () => {
      await using shop = await openShop();
      await shop.tab.run((dsn) => start({ dsn }), shop.door.dsn);
      const id = await shop.tab.run(() => giveFeedback());
      const reports = await received(shop.door, 2);
      const feedback = reports.find(({ kind }) => kind === "feedback");
      assert.equal(reports.find(({ kind }) => kind === "bug")?.reportId, id);
      assert.deepEqual([feedback?.message, feedback?.tags?.event, feedback?.user?.name], ["It broke.", id, "Ada"]);
    });

    test("a React error boundary reports the failing component", async () => {
      await using shop = await openShop();
      await shop.tab.run((dsn) => start({ dsn }), shop.door.dsn);
      await shop.tab.run(() => renderFailing());
      const [report] = await received(shop.door, 1);
      assert.deepEqual([report?.error?.type, report?.error?.message], ["TypeError", "no cart to render"]);
      assert.match(report?.error?.causes?.[0]?.type ?? "", /^React ErrorBoundary/);
    });

    test("an event that is sent twice is stored once", async () => {
      await using shop = await openShop();
      await shop.tab.run((dsn) => start({ dsn }), shop.door.dsn);
      await shop.tab.run(() => sendTwice("twice"));
      assert.deepEqual(await messages(shop.door), ["twice"]);
    });

    test("a page keeps working after 413, a suspension and an unreachable server", async () => {
      await using shop = await openShop();
      const { pool } = shop.door.deps;
      await shop.tab.run((dsn) => start({ dsn }), shop.door.dsn);
      await shop.tab.run(() => captureAll(["x".repeat(5_500_000), "after 413"]));
      assert.deepEqual(await messages(shop.door), ["after 413"]);
      await pool.query(
        "insert into suspensions (organisation_id, since, ends_on) select id, '2026-05-01', '9999-01-01' from organisations",
      );
      await shop.tab.run(() => captureAll(["suspended"]));
      assert.deepEqual(await shop.door.refusals(2), { payload_too_large: 1, org_suspended: 1 });
      await pool.query("delete from suspensions");
      await shop.tab.run((dsn) => start({ dsn }), shop.door.dsn.replace(/:\d+\//, ":1/"));
      await shop.tab.run(() => captureAll(["nobody there"]));
      await shop.tab.run((dsn) => start({ dsn }), shop.door.dsn);
      await shop.tab.run(() => captureAll(["last"]));
      assert.deepEqual(await messages(shop.door), ["after 413", "last"]);
    });

    test("events that were captured offline arrive when the network is back", async () => {
      await using shop = await openShop();
      await shop.tab.run((dsn) => startOffline({ dsn }), shop.door.dsn);
      await shop.tab.setOffline(true);
      await shop.tab.run(() => capture("offline"));
      await shop.tab.setOffline(false);
      await until(async () => {
        await shop.tab.run(() => capture("online"));
        return (await messages(shop.door)).includes("offline");
      });
      assert.equal((await messages(shop.door)).filter((message) => message === "offline").length, 1);
    });
  });
}

const messages = async (door: Door) => (await envelopes(door)).map(({ message }) => message);

/** Waits for `count` reports. */
async function received(door: Door, count: number): Promise<Received[]> {
  await until(async () => (await envelopes(door)).length >= count);
  return envelopes(door);
}

async function envelopes({ deps }: Door): Promise<Received[]> {
  const rows = await deps.db.selectFrom("events").select("envelope").orderBy("id").execute();
  return rows.map(({ envelope }) => JSON.parse(envelope.toString()) as Received);
}

/** Bundles the page's script with Sentry's plugin, which adds debug ids. */
async function bundle(folder: string) {
  await build({
    configFile: false,
    root: import.meta.dirname,
    logLevel: "error",
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [sentryVitePlugin({ telemetry: false, silent: true, sourcemaps: { disable: "disable-upload" } })],
    build: {
      outDir: folder,
      emptyOutDir: false,
      sourcemap: "hidden",
      lib: { entry: "sentry-page.js", formats: ["iife"], name: "page", fileName: () => "lodge.iife.js" },
    },
  });
  assert.ok((await readdir(folder)).includes("lodge.iife.js.map"));
}
