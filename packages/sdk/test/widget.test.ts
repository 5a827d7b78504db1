import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { answerThread } from "@lodge/contract/calls.generated";
import type { AxeResults } from "axe-core";
import { type OpenPage, startBrowser, type TestBrowser } from "../../../apps/dashboard/test/browser.ts";
import { startFirefox } from "../../../apps/dashboard/test/firefox.ts";
import { signedIn } from "../../../apps/server/src/testing/dashboard-client.ts";
import { slowTest } from "../../../apps/server/src/testing/slow-test.ts";
import { type Door, startDoor } from "../../../apps/server/src/testing/start-door.ts";
import { eventually, until } from "../../../apps/server/src/testing/until.ts";
import { bundleSdk } from "../bundle.ts";
import type * as sdk from "../src/index.ts";
import type * as replies from "../src/replies.ts";
import type * as widget from "../src/widget.ts";
import { type Site, startSite } from "./site.ts";

declare global {
  var LodgeReplies: typeof replies;
  var LodgeWidget: typeof widget;
  var heard: string[];
  var opened: widget.Widget;
  var axe: { run: () => Promise<AxeResults> };
}

const started = new AsyncDisposableStack();
let door: Door;
let site: Site;
let chromium: TestBrowser;
before(async () => {
  const scripts = await mkdtemp(join(tmpdir(), "lodge-sdk-"));
  started.defer(() => rm(scripts, { recursive: true }));
  await bundleSdk(scripts);
  door = started.use(await startDoor());
  site = started.use(await startSite(scripts, door.url));
  chromium = started.use(await startBrowser());
});
after(() => started.disposeAsync());

/** Opens the widget above a modal of the page, under a strict content security policy. */
function openAboveModal(key: string) {
  const own = document.createElement("dialog");
  own.textContent = "The page's own";
  document.body.append(own);
  own.showModal();
  globalThis.lodge = Lodge.createLodge({ ingestUrl: "/lodge", key });
  globalThis.opened = LodgeWidget.openWidget(lodge, {
    tags: { page: "basket" },
    screenshot: async () => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [400, 200];
      const paint = canvas.getContext("2d");
      if (paint) {
        paint.fillStyle = "#ff0000";
        paint.fillRect(0, 0, 400, 200);
      }
      return new Promise<Blob | undefined>((resolve) => canvas.toBlob((blob) => resolve(blob ?? undefined)));
    },
  });
}

/** Takes a screenshot, and lists the parts of the widget that are misplaced or out of sight. */
async function misplaced(): Promise<string[]> {
  const shadow = [...document.querySelectorAll("div")].find(({ shadowRoot }) => shadowRoot)?.shadowRoot;
  const buttons = [...(shadow?.querySelectorAll<HTMLElement>("button, .button") ?? [])];
  const button = (text: string) => buttons.find(({ textContent }) => textContent === text) ?? document.body;
  button("Take a screenshot").click();
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  while (shadow?.querySelector("canvas")?.checkVisibility() !== true) await frame();
  shadow?.querySelector("dialog")?.scrollTo(0, 0);
  await frame();
  const middle = ({ left, right, top, bottom }: DOMRect) => [(left + right) / 2, (top + bottom) / 2] as const;
  const found: string[] = [];
  if (shadow?.elementFromPoint(...middle(button("Send").getBoundingClientRect())) !== button("Send"))
    found.push("Send is out of sight");
  for (const name of ["Add a picture", "Take a screenshot"]) {
    const range = document.createRange();
    range.selectNodeContents(button(name).firstChild ?? document.body);
    const [x, y] = middle(range.getBoundingClientRect());
    const [wantedX, wantedY] = middle(button(name).getBoundingClientRect());
    if (Math.hypot(x - wantedX, y - wantedY) > 0.75) found.push(`${name} is off centre`);
  }
  return found;
}

async function findings({ page }: OpenPage): Promise<string[]> {
  const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe });
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(", ")}`);
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`the widget passes axe and fits into 320 pixels, ${colorScheme}`, async () => {
    const opened = await chromium.open(site.url, { colorScheme, viewport: { width: 320, height: 640 } });
    const { page } = opened;
    await page.goto("/strict");
    await page.evaluate(openAboveModal, door.key);
    await page.getByRole("button", { name: "Take a screenshot" }).click();
    await page.getByRole("img").waitFor();
    assert.deepEqual(await findings(opened), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 320));
    const folder = process.env.SDK_SCREENSHOTS;
    if (folder) await page.screenshot({ path: join(folder, `widget-${colorScheme}.png`) });
    assert.deepEqual(opened.problems, []);
    await page.context().close();
  });
}

test("with a picture in a low window, Send is visible and the buttons are aligned", async () => {
  const { page } = await chromium.open(site.url, { viewport: { width: 1280, height: 760 } });
  await page.goto("/strict");
  await page.evaluate(openAboveModal, door.key);
  assert.deepEqual(await page.evaluate(misplaced), []);
  await page.context().close();
});

test("a report can be written with the keyboard only, and pixels below a black box are not sent", async () => {
  const opened = await chromium.open(site.url);
  const { page } = opened;
  await page.goto("/strict");
  await page.evaluate(openAboveModal, door.key);
  await page.keyboard.type("The basket is empty");
  await page.getByRole("button", { name: "Take a screenshot" }).press("Enter");
  await page.getByRole("button", { name: "Add a black box" }).press("Enter");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Shift+ArrowDown");
  await page.getByRole("button", { name: "Send", exact: true }).press("Enter");
  await page.getByText("Sent. Thank you!").waitFor();
  await page.keyboard.press("Enter");
  const reportId = await page.evaluate(() => globalThis.opened.closed);
  const { envelope, id } = await door.deps.db
    .selectFrom("events")
    .select(["envelope", "id"])
    .where("report_id", "=", reportId ?? "")
    .executeTakeFirstOrThrow();
  const { message, tags, kind } = JSON.parse(`${envelope}`) as sdk.Envelope;
  assert.deepEqual([message, tags, kind], ["The basket is empty", { page: "basket" }, "bug"]);
  const { store_key } = await door.deps.db
    .selectFrom("artifacts")
    .select("store_key")
    .where("event_id", "=", id)
    .executeTakeFirstOrThrow();
  const png = await readFile(join(door.deps.config.dataDir, "artifacts", store_key));
  const pixels = await page.evaluate(async (base64) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0))]));
    const paint = new OffscreenCanvas(image.width, image.height).getContext("2d");
    paint?.drawImage(image, 0, 0);
    const at = (x: number, y: number) => [...(paint?.getImageData(x, y, 1, 1).data ?? [])];
    return {
      size: [image.width, image.height],
      outside: at(10, 10),
      inside: at(200, 100),
      moved: at(153, 100),
      sized: at(200, 122),
    };
  }, png.toString("base64"));
  const [red, black] = [
    [255, 0, 0, 255],
    [0, 0, 0, 255],
  ];
  assert.deepEqual(pixels, { size: [400, 200], outside: red, inside: black, moved: black, sized: black });
  assert.deepEqual(opened.problems, []);
  await page.context().close();
});

test("an offline reporter sees that the report is saved, and later that it was sent", async () => {
  const { page } = await chromium.open(site.url);
  await page.goto("/strict");
  await page.evaluate(openAboveModal, door.key);
  await page.context().setOffline(true);
  await page.keyboard.type("offline");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("It will be sent when you are online").waitFor();
  await page.context().setOffline(false);
  await page.getByText("Sent. Thank you!").waitFor();
  await page.context().close();
});

test("every tab shows the team's answers above the form, and the keyboard can reply to them", async () => {
  await door.apply({
    organisation: { name: "Acme", slug: "acme" },
    members: [{ email: "ada@acme.test", name: "Ada", role: "owner" }],
    apps: [{ name: "Web", slug: "web", replies: true }],
  });
  const ada = await signedIn(door, "ada@acme.test");
  const answer = (threadId: string, text: string) => ada.call(answerThread, { params: { threadId }, body: { text } });
  const opened = await chromium.open(site.url, { colorScheme: "dark", viewport: { width: 390, height: 700 } });
  const { page } = opened;
  const start = (key: string) => {
    globalThis.heard = [];
    const onReply = ({ text }: replies.Message) => heard.push(text);
    const extend = LodgeReplies.replies({ onReply });
    globalThis.lodge = Lodge.createLodge({ ingestUrl: "/lodge", key, installId: true, extend });
  };
  await page.clock.install();
  await page.goto("/strict");
  await page.evaluate(start, door.key);
  const threadId = await page.evaluate(async () => {
    const { receipt } = await lodge.report({ message: "The basket is empty" });
    return (await receipt).thread?.id ?? "";
  });
  const other = await page.context().newPage();
  await other.goto(`${site.url}/strict`);
  await other.evaluate(start, door.key);
  await answer(threadId, "Which browser is it?\nAnd which basket?");
  await page.evaluate(() => {
    globalThis.opened = LodgeWidget.openWidget(lodge);
  });
  await page.getByText("Answers to your reports (1)").waitFor();
  await page.getByText("And which basket?").waitFor(); // opens by itself, because the team wrote last
  await until(() => other.evaluate(() => heard.length === 1));
  assert.deepEqual(await page.evaluate(() => heard), ["Which browser is it?\nAnd which basket?"]);
  assert.deepEqual(await findings(opened), []);
  await page.getByLabel("Your answer").fill("Chromium, the red one");
  await answer(threadId, "Never mind the basket.");
  await page.clock.fastForward(10_000);
  await page.getByText("Never mind the basket.").waitFor();
  await eventually(async () =>
    assert.equal(
      await page.getByLabel("Your answer").inputValue(),
      "Chromium, the red one",
      "a new message keeps the draft",
    ),
  );
  const folder = process.env.SDK_SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, "widget-answers.png") });
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.locator("li", { hasText: "Chromium, the red one" }).waitFor();
  await page.getByText("Not sent yet").waitFor({ state: "detached" });
  assert.deepEqual(opened.problems, []);

  await page.context().setOffline(true);
  await page.getByLabel("Your answer").fill("I am in a tunnel");
  await page.getByRole("button", { name: "Send answer" }).click();
  await page.locator("li", { hasText: "I am in a tunnel" }).getByText("Not sent yet").waitFor();
  await page.getByText("It will be sent when you are online").waitFor();
  if (folder) await page.screenshot({ path: join(folder, "widget-unsent.png") });
  await page.close();
  await page.context().setOffline(false);
  const reporters = async () =>
    (await door.deps.db.selectFrom("messages").select(["author", "text"]).orderBy("number").execute()).flatMap(
      ({ author, text }) => (author === "reporter" ? [text] : []),
    );
  await until(async () => (await reporters()).length === 2);
  await until(() =>
    other.evaluate(async () => (await (lodge as unknown as replies.Replies).threads())[0]?.unsent.length === 0),
  );
  assert.deepEqual(
    await reporters(),
    ["Chromium, the red one", "I am in a tunnel"],
    "the other tab sends the unsent answer once",
  );
  await page.context().close();
});

slowTest("the widget works in Firefox under the same policy", async () => {
  await using firefox = await startFirefox();
  await using profile = await firefox.openProfile();
  const tab = await profile.openTab(`${site.url}/strict`);
  const viewport = { width: 1280, height: 760 };
  await firefox.send("browsingContext.setViewport", { context: tab.context, viewport });
  await tab.run(openAboveModal, door.key);
  const hasFocus = await tab.run(() => {
    const shadow = [...document.querySelectorAll("div")].find(({ shadowRoot }) => shadowRoot)?.shadowRoot;
    const message = shadow?.querySelector("textarea");
    return message && shadow?.activeElement === message && getComputedStyle(message).minHeight === "44px";
  });
  assert.ok(hasFocus, "the message field has the focus and its styles");
  assert.deepEqual(await tab.run(misplaced), []);
  await tab.run(() => {
    const shadow = [...document.querySelectorAll("div")].find(({ shadowRoot }) => shadowRoot)?.shadowRoot;
    const message = shadow?.querySelector("textarea");
    if (!shadow || !message) throw new Error("The widget is not open");
    message.value = "from Firefox";
    shadow.querySelector("form")?.requestSubmit();
  });
  await until(async () => {
    const rows = await door.deps.db.selectFrom("events").select("envelope").execute();
    return rows.some(({ envelope }) => `${envelope}`.includes("from Firefox"));
  });
});
