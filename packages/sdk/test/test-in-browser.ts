import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { getEvent } from "@lodge/contract/calls.generated";
import { rolldown } from "rolldown";
import { signedIn } from "../../../apps/server/src/testing/dashboard-client.ts";
import { randomNumber } from "../../../apps/server/src/testing/random.ts";
import { slowness } from "../../../apps/server/src/testing/slowness.ts";
import { type Door, startDoor } from "../../../apps/server/src/testing/start-door.ts";
import { until } from "../../../apps/server/src/testing/until.ts";
import { runLodge } from "../../cli/test/run-lodge.ts";
import { bundleSdk } from "../bundle.ts";
import type * as sdk from "../src/index.ts";
import type { browsers, Profile, RealBrowser, Tab } from "./browsers.ts";
import { type Gate, type Site, startGate, startSite } from "./site.ts";

declare global {
  // The globals of a page: those of the script, and values that a test keeps between two calls.
  var Lodge: typeof sdk;
  var lodge: sdk.Lodge;
  var receipts: Promise<sdk.Receipt>[];
  var states: sdk.Status[];
  var isUndone: () => boolean[];
}

/** A script that fails on line 3, called from line 6. */
const cart = `"use strict";
function total(lines) {
  if (lines.length === 0) throw new RangeError("nothing in the cart");
  return lines.reduce((sum, { price }) => sum + price, 0);
}
globalThis.cart = { total: total([]), lines: [] };
`;

/** The number of pages to kill; `SDK_KILLS=200 npm test -- sdk` repeats the measurement in docs/sdk.md. */
const kills = Number(process.env.SDK_KILLS ?? 6);

/** The number of pages to leave right after an error; `SDK_LEAVES=200` repeats the measurement in docs/sdk.md. */
const leaves = Number(process.env.SDK_LEAVES ?? 12);

/** The tests of the SDK in one browser. Firefox is in the slow tier. */
export function testInBrowser({ name, start }: (typeof browsers)[keyof typeof browsers]): void {
  describe(`the SDK in ${name}`, () => {
    const started = new AsyncDisposableStack();
    let browser: RealBrowser;
    let door: Door;
    let scripts: string;
    let token: string;
    before(async () => {
      scripts = await mkdtemp(join(tmpdir(), "lodge-sdk-"));
      started.defer(() => rm(scripts, { recursive: true }));
      await bundleSdk(scripts);
      door = started.use(await startDoor());
      const { tokens } = await door.apply({
        organisation: { name: "Acme", slug: "acme" },
        members: [{ email: "ada@acme.test", name: "Ada", role: "member" }],
        tokens: [{ name: "CI", scope: "all", permissions: ["sourcemaps:write"] }],
      });
      token = tokens[0]?.secret ?? "";
      browser = started.use(await start());
    });
    after(() => started.disposeAsync());

    /** An empty profile, a website, and a proxy to the server that a test can break. */
    async function makeWorld(where = browser) {
      const stack = new AsyncDisposableStack();
      const gate: Gate = stack.use(await startGate(door.url));
      const site: Site = stack.use(await startSite(scripts, gate.url));
      const profile: Profile = stack.use(await where.openProfile());
      return {
        gate,
        site,
        profile,
        open: async (path = "/", ingestUrl = gate.url): Promise<Tab> => {
          const tab = await profile.openTab(`${site.url}${path}`);
          await createLodge(tab, ingestUrl);
          return tab;
        },
        [Symbol.asyncDispose]: () => stack.disposeAsync(),
      };
    }

    const createLodge = (tab: Tab, ingestUrl: string) =>
      tab.run(
        (ingestUrl, key) => {
          globalThis.receipts = [];
          globalThis.states = [];
          globalThis.lodge = Lodge.createLodge({ ingestUrl, key, onStatus: (status) => states.push(status) });
        },
        ingestUrl,
        door.key,
      );

    /** Queues a report and returns its id. */
    const report = (tab: Tab, title: string) =>
      tab.run(async (title) => {
        const { reportId, receipt } = await lodge.report({ title });
        receipts.push(receipt);
        return reportId;
      }, title);

    const receipt = (tab: Tab, index: number) =>
      tab.run(
        (index) =>
          receipts[index]?.catch((error: sdk.LodgeError) => {
            throw new Error(error.code);
          }),
        index,
      );

    async function storedEnvelope(reportId: string): Promise<Record<string, unknown>> {
      const { envelope } = await door.deps.db
        .selectFrom("events")
        .select("envelope")
        .where("report_id", "=", reportId)
        .executeTakeFirstOrThrow();
      return JSON.parse(`${envelope}`);
    }

    /** Waits for `count` stored errors with this message, and returns their envelopes. */
    async function storedEnvelopes(message: RegExp, count: number): Promise<sdk.Envelope[]> {
      let found: sdk.Envelope[] = [];
      await until(async () => {
        const rows = await door.deps.db.selectFrom("events").select("envelope").execute();
        const all = rows.map(({ envelope }) => JSON.parse(`${envelope}`) as sdk.Envelope);
        found = all.filter(({ error }) => message.test(error?.message ?? ""));
        return found.length >= count;
      });
      return found;
    }

    const isStored = async (reportId: string) => (await door.reportIds()).includes(reportId);

    test("a report with an attachment arrives complete, and its receipt resolves", async () => {
      await using world = await makeWorld();
      const tab = await world.open();
      const handed = await tab.run(async () => {
        const { reportId, receipt } = await lodge.report({
          title: "The basket is empty",
          kind: "feedback",
          tags: { page: "basket" },
          error: new Error("no basket", { cause: new TypeError("no cookie") }),
          context: { items: 3, when: new Date(0), big: 10n },
          attachments: [{ name: "log.txt", data: "what happened", kind: "log" }],
        });
        return { reportId, receipt: await receipt };
      });
      assert.equal(handed.receipt.status, "received");
      assert.equal(handed.receipt.idempotent, false);
      const envelope = await storedEnvelope(handed.reportId);
      assert.equal(envelope.title, "The basket is empty");
      assert.deepEqual(envelope.tags, { page: "basket" });
      assert.deepEqual(envelope.context, {
        url: `${world.site.url}/`,
        items: 3,
        when: "1970-01-01T00:00:00.000Z",
        big: "10",
      });
      const { type, message, stack } = envelope.error as { type: string; message: string; stack: string };
      assert.deepEqual([type, message], ["Error", "no basket"]);
      assert.match(stack, /Caused by: .*no cookie/);
      const artifact = await door.deps.db
        .selectFrom("artifacts")
        .selectAll()
        .where("event_id", "=", handed.receipt.eventId)
        .executeTakeFirstOrThrow();
      assert.equal(artifact.filename, "log.txt");
      assert.deepEqual(artifact.sha256, createHash("sha256").update("what happened").digest());
      await until(() => tab.run(() => lodge.status().queued === 0));
    });

    test("the stack of a bundle with a debug id is mapped to its sources, whatever its file name and release", async () => {
      const root = await mkdtemp(join(scripts, "bundle-"));
      await writeFile(join(root, "cart.js"), cart);
      await using bundle = await rolldown({ input: join(root, "cart.js") });
      await bundle.write({ dir: join(root, "dist"), format: "iife", minify: true, sourcemap: true });
      const cli = (...args: string[]) => runLodge(["sourcemaps", ...args], { LODGE_URL: door.url, LODGE_TOKEN: token });
      const injected = await cli("inject", join(root, "dist"), "--json");
      assert.equal(injected.exitCode, 0, injected.stderr);
      const [file] = JSON.parse(injected.stdout).files;
      const built = await readFile(join(root, "dist/cart.js"), "utf8");
      assert.deepEqual(JSON.parse((await cli("inject", join(root, "dist"), "--json")).stdout), { files: [] });
      assert.equal(await readFile(join(root, "dist/cart.js"), "utf8"), built, "a second run changes nothing");
      const uploaded = await cli("upload", join(root, "dist"), "--app", "web", "--release", "another", "--json");
      assert.equal(uploaded.exitCode, 0, uploaded.stderr);
      assert.equal(JSON.parse(uploaded.stdout).sourceMaps[0].debugId, file.debugId);

      await using world = await makeWorld();
      const name = `renamed-${file.debugId}.js`;
      await writeFile(join(scripts, name), built);
      const tab = await world.open();
      const { eventId, reportId } = await tab.run(async (name) => {
        const script = document.createElement("script");
        const thrown = new Promise<unknown>((resolve) => addEventListener("error", ({ error }) => resolve(error)));
        script.src = `/${name}`;
        document.head.append(script);
        const { reportId, receipt } = await lodge.report({ error: await thrown });
        return { reportId, eventId: (await receipt).eventId };
      }, name);
      assert.deepEqual((await storedEnvelope(reportId)).debugIds, { [`${world.site.url}/${name}`]: file.debugId });
      const ada = await signedIn(door, "ada@acme.test");
      const { error } = await ada.call(getEvent, { params: { eventId } });
      assert.deepEqual(
        error?.frames.slice(0, 2).map(({ file, line, isMapped }) => [file?.split("/").at(-1), line, isMapped]),
        [
          ["cart.js", 3, true],
          ["cart.js", 6, true],
        ],
      );
    });

    test("an app's own origin can forward reports under a policy that allows no other origin", async () => {
      await using world = await makeWorld();
      const tab = await world.open("/strict", "/lodge/");
      const id = await report(tab, "through a proxy");
      assert.equal((await receipt(tab, 0))?.idempotent, false);
      assert.ok(await isStored(id));
      const outside = await world.profile.openTab(`${world.site.url}/strict`);
      await createLodge(outside, world.gate.url);
      await report(outside, "straight");
      await until(() =>
        outside.run(() => lodge.status().queued === 1 && states.some(({ state }) => state === "sending")),
      );
      assert.deepEqual(
        world.gate.seen.filter((request) => request.startsWith("POST")),
        ["POST /api/ingest"],
        "the page's policy applies to the SDK too",
      );
    });

    test("a page without access to storage, locks and channels still sends reports", async () => {
      await using world = await makeWorld();
      const tab = await world.profile.openTab(`${world.site.url}/`);
      const reportId = await tab.run(
        (ingestUrl, key) => {
          const frame = document.createElement("iframe");
          frame.sandbox.add("allow-scripts"); // an opaque origin, for which the browser stores nothing
          const inFrame = async (ingestUrl: string, key: string) => {
            globalThis.BroadcastChannel = class {
              constructor() {
                throw new DOMException("as in a Firefox without cookies", "SecurityError");
              }
            } as never;
            const { reportId } = await Lodge.createLodge({ ingestUrl, key }).report({ title: "in a frame" });
            parent.postMessage(reportId, "*");
          };
          const script = `(${inFrame})(${JSON.stringify(ingestUrl)}, ${JSON.stringify(key)})`;
          frame.srcdoc = `<script src="${location.origin}/lodge.iife.js"></script><script>${script}</script>`;
          const told = new Promise<string>((resolve) => addEventListener("message", ({ data }) => resolve(data)));
          document.body.append(frame);
          return told;
        },
        world.gate.url,
        door.key,
      );
      await until(() => isStored(reportId));
    });

    test("an offline page sends its reports when it is online again", async () => {
      await using world = await makeWorld();
      const tab = await world.open();
      await tab.setOffline(true);
      const id = await report(tab, "offline");
      assert.equal(world.gate.seen.length, 0);
      await tab.setOffline(false);
      await receipt(tab, 0);
      assert.ok(await isStored(id));
    });

    test("a report is stored once if the server fails three times before it responds", async () => {
      await using world = await makeWorld();
      for (const mode of ["cut", "unavailable", "swallow"] as const) {
        const tab = await world.open(); // a new session, since each has a limited number of attempts
        await report(tab, "first");
        await receipt(tab, 0); // so that the configuration is known
        world.gate.mode = mode;
        world.gate.seen.length = 0;
        const id = await report(tab, mode);
        for (let tries = 1; tries <= 3; tries++) {
          await until(() => world.gate.seen.length >= tries);
          await until(() => tab.run(() => lodge.status().state !== "sending"));
          if (tries < 3) await tab.run(() => void lodge.flush({ timeoutMs: 0 }));
        }
        world.gate.mode = "pass";
        assert.ok(await tab.run(() => lodge.flush()));
        const last = await tab.run(() => receipts.at(-1));
        assert.equal(last?.idempotent, mode === "swallow", "the report is a duplicate only if the response was lost");
        assert.equal((await door.reportIds()).filter((other) => other === id).length, 1);
        await tab.kill();
      }
    });

    test("a blocked host causes six attempts in a session, and the page notices nothing", async () => {
      await using world = await makeWorld();
      world.gate.mode = "page"; // counts exactly: browsers repeat interrupted requests by themselves
      const tab = await world.open();
      await tab.run(() => {
        globalThis.states = [];
        for (const type of ["error", "unhandledrejection"]) addEventListener(type, () => document.body.append("seen"));
      });
      const id = await report(tab, "blocked");
      const asked = () => world.gate.seen.filter((request) => !request.startsWith("OPTIONS")).length;
      for (let tries = 1; tries <= 6; tries++) {
        await until(() => asked() >= tries);
        await until(() => tab.run(() => lodge.status().state !== "sending"));
        await tab.run(() => void lodge.flush({ timeoutMs: 0 }));
      }
      await until(() => tab.run(() => lodge.status().state === "blocked"));
      assert.equal(await tab.run(() => lodge.flush()), false);
      await tab.goto(`${world.site.url}/another`); // the same session
      await createLodge(tab, world.gate.url);
      await report(tab, "another");
      assert.equal(await tab.run(() => lodge.flush()), false);
      assert.equal(asked(), 6);
      assert.equal(await tab.run(() => document.body.innerText.includes("seen")), false);

      world.gate.mode = "pass";
      const next = await world.open();
      await tab.kill();
      assert.ok(await next.run(() => lodge.flush()), "a new session sends what was queued");
      assert.ok(await isStored(id));
    });

    test("another tab takes over within five seconds when the sending tab dies", async () => {
      await using world = await makeWorld();
      const [first, second] = [await world.open(), await world.open()];
      world.gate.mode = "hold";
      const ids = [await report(first, "of the first"), await report(second, "of the second")];
      await until(() => world.gate.seen.length > 0);
      await until(() => second.run(() => lodge.status().queued === 2)); // tabs notify each other
      world.gate.mode = "pass";
      const asked = world.gate.seen.length;
      await first.kill();
      const killedAt = performance.now(); // the time to kill a tab does not count
      await until(() => world.gate.seen.length > asked);
      assert.ok(performance.now() - killedAt < 5_000 * slowness());
      assert.equal((await receipt(second, 0))?.status, "received");
      assert.ok(await second.run(() => lodge.flush()));
      for (const id of ids) assert.ok(await isStored(id));
    });

    test("the next page sends the reports of a page that was left", async () => {
      await using world = await makeWorld();
      const tab = await world.open();
      await tab.goto(`${world.site.url}/next`); // Firefox keeps the previous page frozen
      await createLodge(tab, world.gate.url);
      const reportId = await report(tab, "on the next page");
      await until(() => isStored(reportId));
    });

    test("a tab without reports of its own sends those of a tab that died", async () => {
      await using world = await makeWorld();
      const [first, second] = [await world.open(), await world.open()];
      await first.run(async () => void (await lodge.config()));
      world.gate.mode = "hold";
      const id = await report(first, "of the one that dies");
      await until(() => world.gate.seen.includes("POST /api/ingest"));
      await until(() => second.run(() => lodge.status().queued === 1));
      world.gate.mode = "pass";
      await first.kill();
      world.gate.drop();
      await until(() => isStored(id));
      await until(() => second.run(() => lodge.status().queued === 0));
    });

    test("a tab that can no longer send leaves the queue to another tab", async () => {
      await using world = await makeWorld();
      const first = await world.open();
      world.gate.mode = "refused";
      const id = await report(first, "of a tab whose key was refused");
      await until(() => first.run(() => lodge.status().state === "off"));
      world.gate.mode = "pass";
      await world.open();
      await until(() => isStored(id));
    });

    test(`an error right before a navigation arrives without another page that would send it, ${leaves} times`, async () => {
      await using world = await makeWorld();
      const tab = await world.profile.openTab(`${world.site.url}/`);
      for (let left = 0; left < leaves; left++) {
        await tab.run(
          (ingestUrl, key, left) => {
            // A separate database, so that no other page sends reports from the disk.
            const open = indexedDB.open.bind(indexedDB);
            IDBFactory.prototype.open = (name, version) => open(`${name} ${left}`, version);
            Lodge.createLodge({ ingestUrl, key, capture: { errors: true, breadcrumbs: true } });
            setTimeout(() => {
              location.href = `/left?${left}`;
              throw new Error(`left ${left}`);
            });
          },
          world.gate.url,
          door.key,
          left,
        );
        // The page cannot be inspected while it navigates.
        const hasLoaded = (left: number) => location.search === `?${left}` && document.readyState === "complete";
        await until(() => tab.run(hasLoaded, left).catch(() => false));
      }
      const stored = async () => {
        const rows = await door.deps.db.selectFrom("events").select("envelope").execute();
        const messages = rows.map(({ envelope }) => (JSON.parse(`${envelope}`) as sdk.Envelope).error?.message ?? "");
        return messages.filter((message) => message.startsWith("left ")).length;
      };
      await until(async () => (await stored()) >= leaves);
      assert.equal(await stored(), leaves, "each error is stored once");
    });

    test("one tab sends for all, and each tab learns the outcome of its own report", async () => {
      await using world = await makeWorld();
      const [first, second] = [await world.open(), await world.open()];
      world.gate.mode = "hold";
      await report(first, "holds the lock");
      await until(() => world.gate.seen.length > 0);
      const id = await report(second, "of the other");
      world.gate.mode = "pass";
      const tellsSecond = receipt(second, 0);
      await first.run(() => lodge.close());
      assert.equal((await tellsSecond)?.status, "received");
      assert.ok(await isStored(id));
      await assert.rejects(() => report(first, "too late"), /closed/);
    });

    test("unhandled errors are reported with breadcrumbs, and the page behaves as before", async () => {
      await using world = await makeWorld();
      const tab = await world.profile.openTab(`${world.site.url}/`);
      const seen = await tab.run(
        async (ingestUrl, key) => {
          const [log, fetched, push] = [console.log, fetch, history.pushState];
          globalThis.lodge = Lodge.createLodge({ ingestUrl, key, capture: { errors: true, breadcrumbs: true } });
          const names = [console.log.name, fetch.name, fetch.length, `${fetch}`.includes("[native code]")];
          const input = Object.assign(document.createElement("input"), { value: "secret", id: "card" });
          const button = Object.assign(document.createElement("button"), { textContent: "Pay", id: "pay" });
          document.body.append(input, button);
          input.click();
          button.click();
          console.log("token=abcdef", {
            toString: () => {
              throw new Error("not to be described");
            },
          });
          history.pushState({}, "", "/paid?token=abcdef");
          const status = (await fetch("/told", { method: "POST", body: "x" })).status;
          await new Promise((resolve) => {
            const request = new XMLHttpRequest();
            request.open("post", "/told?code=abc");
            request.onloadend = resolve;
            request.send("x");
          });
          console.info({ items: [1] });
          const handled = await fetch("http://127.0.0.1:1/").catch((error: Error) => error.name);
          const rejections: string[] = [];
          addEventListener("unhandledrejection", ({ reason }) => rejections.push(`${reason}`));
          setTimeout(() => {
            throw new RangeError("nobody handles this");
          });
          void Promise.reject(new Error("nor this"));
          while (rejections.length === 0) await new Promise((r) => setTimeout(r, 5));
          globalThis.isUndone = () => [console.log === log, fetch === fetched, history.pushState === push];
          return { names, status, handled, rejections };
        },
        world.gate.url,
        door.key,
      );
      assert.deepEqual(seen, {
        names: ["log", "fetch", 1, true],
        status: 204,
        handled: "TypeError",
        rejections: ["Error: nor this"],
      });
      const found = await storedEnvelopes(/nobody handles this|nor this/, 2);
      const undone = await tab.run(async () => {
        await lodge.close();
        return isUndone();
      });
      assert.deepEqual(undone, [true, true, true]);
      const thrown = found.find(({ error }) => error?.message === "nobody handles this");
      assert.deepEqual(
        [thrown?.kind, thrown?.tags, thrown?.error?.type],
        ["crash", { unhandled: "error" }, "RangeError"],
      );
      assert.ok(found.some(({ error, tags }) => error?.message === "nor this" && tags?.unhandled === "rejection"));
      const crumbs = thrown?.breadcrumbs?.map(({ category, message }) => `${category}: ${message}`) ?? [];
      assert.deepEqual(
        crumbs.filter((crumb) => !crumb.startsWith("fetch: GET")),
        [
          "click: input#card",
          'click: button#pay "Pay"',
          "console: token=[redacted] {}",
          `navigation: ${world.site.url}/paid?token=[redacted]`,
          "fetch: POST /told: 204",
          "xhr: POST /told?code=[redacted]: 200",
          'console: {"items":[1]}',
        ],
      );
    });

    test("unhandled errors are distinguished by message, wherever they were thrown", async () => {
      await using world = await makeWorld();
      const tab = await world.profile.openTab(`${world.site.url}/`);
      await tab.run(
        async (ingestUrl, key) => {
          globalThis.lodge = Lodge.createLodge({ ingestUrl, key, capture: { errors: true } });
          const frame = document.body.appendChild(document.createElement("iframe"));
          const reasons = [404, 500].map((status) => new Error(`told apart: ${status}`)); // one line, one stack
          const { Error: OfFrame } = frame.contentWindow as unknown as typeof globalThis;
          for (const reason of [...reasons, new OfFrame("told apart: frame"), { apart: 1 }, { apart: 2 }])
            void Promise.reject(reason);
        },
        world.gate.url,
        door.key,
      );
      const found = await storedEnvelopes(/apart/, 5);
      assert.deepEqual(found.map(({ error }) => error?.message).sort(), [
        "told apart: 404",
        "told apart: 500",
        "told apart: frame",
        '{"apart":1}',
        '{"apart":2}',
      ]);
    });

    test("a worker reports errors like a page", async () => {
      await using world = await makeWorld();
      const tab = await world.profile.openTab(`${world.site.url}/`);
      const reportId = await tab.run(
        (ingestUrl, key) => {
          const inWorker = async (ingestUrl: string, key: string) => {
            const { reportId } = await Lodge.createLodge({ ingestUrl, key }).report({ title: "in a worker" });
            postMessage(reportId);
          };
          const script = `(${inWorker})(${JSON.stringify(ingestUrl)}, ${JSON.stringify(key)})`;
          const source = `importScripts("${location.origin}/lodge.iife.js"); ${script}`;
          const worker = new Worker(URL.createObjectURL(new Blob([source])));
          return new Promise<string>((resolve) => worker.addEventListener("message", ({ data }) => resolve(data)));
        },
        world.gate.url,
        door.key,
      );
      await until(() => isStored(reportId));
    });

    test("reports queued before close are in the queue of the next session", async () => {
      await using world = await makeWorld();
      const tab = await world.open();
      const reportId = await tab.run(async () => {
        const handed = lodge.report({ title: "just before" });
        await lodge.close();
        return (await handed).reportId;
      });
      await world.open();
      await until(() => isStored(reportId));
    });

    test(`no report is lost or duplicated when pages are killed while they send, ${kills} times`, async () => {
      await using world = await makeWorld();
      const handed = new Set<string>();
      const before = new Set(await door.reportIds());
      const collect = () => {
        for (const id of world.site.told.splice(0)) handed.add(id);
      };
      for (let killed = 0; killed < kills; killed++) {
        world.gate.mode = (["hold", "swallow", "pass"] as const)[killed % 3] ?? "pass";
        const tab = await world.open();
        const told = world.site.told.length;
        await tab.run(() => {
          const hand = async (title: string) => {
            const { reportId } = await lodge.report({ title });
            navigator.sendBeacon("/told", reportId);
          };
          void hand("one").then(() => hand("two"));
        });
        await until(() => world.site.told.length > told);
        await sleep(randomNumber() * 30); // the test varies the moment of the kill
        await tab.kill();
        world.gate.drop();
        collect();
      }
      world.gate.mode = "pass";
      const last = await world.open();
      assert.ok(await last.run(() => lodge.flush({ timeoutMs: 120_000 })));
      collect();
      const stored = (await door.reportIds()).filter((id) => !before.has(id));
      const lost = [...handed].filter((id) => !stored.includes(id));
      console.log(
        `${name}, ${kills} kills: ${handed.size} handed over, ${lost.length} lost, ${stored.length} stored, ` +
          `${stored.length - new Set(stored).size} doubled`,
      );
      assert.deepEqual(lost, []);
      assert.equal(new Set(stored).size, stored.length);
    });

    test("requests below 60 kB outlive their page, but not with an attachment", async () => {
      await using world = await makeWorld();
      const tab = await world.profile.openTab(`${world.site.url}/`);
      const sent = await tab.run(
        async (ingestUrl, key) => {
          const seen: boolean[] = [];
          const real = fetch;
          globalThis.fetch = (input, init) => {
            if (init?.method === "POST") seen.push(init.keepalive === true);
            return real(input, init);
          };
          const lodge = Lodge.createLodge({ ingestUrl, key, redact: false }); // since redaction removes random-looking text
          const random = (bytes: number) =>
            Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) =>
              byte.toString(16).padStart(2, "0"),
            ).join("");
          for (const report of [
            { title: "small" },
            { title: "below", context: { random: random(45_000) } }, // which gzip halves again
            { title: "above", context: { random: random(60_000) } },
            { title: "attached", attachments: [{ name: "log", data: "x" }] },
          ]) {
            await (await lodge.report(report)).receipt;
          }
          return seen;
        },
        world.gate.url,
        door.key,
      );
      assert.deepEqual(sent, [true, true, false, false]);
    });

    test("when the browser's quota is full, dropped reports are listed, and the rest arrives", async () => {
      await using small = await start(400_000);
      await using world = await makeWorld(small);
      const tab = await world.open();
      await tab.setOffline(true);
      const handed = await tab.run(async () => {
        const ids: string[] = [];
        for (let n = 0; n < 12; n++) {
          const data = crypto.getRandomValues(new Uint8Array(60_000));
          const { reportId, receipt } = await lodge.report({ title: `${n}`, attachments: [{ name: "data", data }] });
          receipt.catch(() => {});
          ids.push(reportId);
        }
        return ids;
      });
      assert.equal(await tab.run(storeMore), "QuotaExceededError");
      await tab.setOffline(false);
      assert.ok(await tab.run(() => lodge.flush({ timeoutMs: 120_000 })));
      const told = await report(tab, "lists the remaining dropped reports");
      assert.ok(await tab.run(() => lodge.flush()));
      const stored = new Set(await door.reportIds());
      const envelopes = await Promise.all([...handed.filter((id) => stored.has(id)), told].map(storedEnvelope));
      const dropped = envelopes.flatMap((envelope) => (envelope.dropped ?? []) as sdk.Dropped[]);
      const named = new Set(dropped.filter(({ reason }) => reason === "queue_full").map(({ partName }) => partName));
      const lost = handed.filter((id) => !stored.has(id));
      assert.deepEqual(
        lost.filter((id) => !named.has(id)),
        [],
        "no report was lost silently",
      );
      assert.ok(stored.has(handed.at(-1) ?? ""), "the newest report is stored");
    });

    test("a refused report is not sent again, and a suspension stops sending for the session", async () => {
      await using world = await makeWorld();
      const tab = await world.open();
      await report(tab, "while all is well");
      await receipt(tab, 0);
      await door.deps.pool.query("insert into suspensions values ($1, current_date, current_date + 30)", [
        door.organisationId,
      ]);
      const refused = await report(tab, "while suspended");
      await assert.rejects(() => receipt(tab, 1), /org_suspended/);
      const kept = await report(tab, "after that");
      assert.equal(await tab.run(() => lodge.flush()), false);
      assert.deepEqual(await tab.run(() => [lodge.status().state, lodge.status().queued]), ["suspended", 1]);
      await door.deps.pool.query("delete from suspensions");
      const next = await world.open();
      await tab.kill();
      assert.ok(await next.run(() => lodge.flush()));
      assert.deepEqual([await isStored(refused), await isStored(kept)], [false, true]);
    });
  });
}

/** Tries to store 64 KiB in another database of the page; resolves with the name of the error. */
function storeMore(): Promise<string | undefined> {
  return new Promise((resolve) => {
    const open = indexedDB.open("probe");
    open.onupgradeneeded = () => open.result.createObjectStore("bytes");
    open.onerror = () => resolve(open.error?.name);
    open.onsuccess = () => {
      const transaction = open.result.transaction("bytes", "readwrite");
      transaction.objectStore("bytes").put(crypto.getRandomValues(new Uint8Array(65_536)), "one");
      transaction.oncomplete = () => resolve(undefined);
      transaction.onabort = () => resolve(transaction.error?.name);
    };
  });
}
