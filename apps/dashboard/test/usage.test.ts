import assert from "node:assert/strict";
import { after, test } from "node:test";
import { signedIn } from "../../server/src/testing/dashboard-client.ts";
import { startService } from "../../server/src/testing/start-service.ts";
import { eventually } from "../../server/src/testing/until.ts";
import { openAs, startBrowser } from "./browser.ts";

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
// Browsers expire session cookies by the real time, so the test uses today's date, with data from previous months.
const today = new Date();
const monthBefore = (count: number) => new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - count, 10));
const named = (month: Date) => month.toLocaleString("en-US", { month: "long", year: "numeric", timeZone: "UTC" });
const clock = { at: monthBefore(2), now: () => clock.at };
const lodge = stack.use(await startService({}, { clock }));
const browser = stack.use(await startBrowser());
const { apps } = await lodge.apply({
  organisation: { name: "Acme", slug: "acme", monthlyInstallLimit: 2 },
  members: [
    { email: "ada@acme.test", name: "Ada", role: "owner" },
    { email: "grace@acme.test", name: "Grace", role: "admin" },
  ],
  apps: [{ name: "Web", slug: "web", keys: ["default"] }],
});
const headers = { authorization: `Bearer ${apps[0]?.keys[0]?.key}` };
for (const at of [monthBefore(2), monthBefore(1), today]) {
  clock.at = at;
  for (const install of ["a", "b", "c"]) await lodge.request("GET", `/api/config?installId=${install}`, { headers });
}
const [first, second, third] = [monthBefore(2), monthBefore(1), today].map(named);

async function open(email: string, path: string) {
  const opened = await browser.open(lodge.url, { viewport: { width: 1440, height: 900 } });
  await openAs(opened.page, lodge, email);
  await opened.page.goto(path);
  return opened;
}

test("a suspension shows its reason and two ways to end it, and an owner excludes a month and upgrades", async () => {
  const { page, problems } = await open("ada@acme.test", "/usage");
  const suspension = page.getByRole("region", { name: "Suspension" });
  await suspension.getByText(`${first} (3 of 2), ${second} (3 of 2), and ${third} (3 of 2)`).waitFor();
  await suspension.getByText("Choose a larger plan or a higher limit below").waitFor();
  await suspension.getByText(`If ${named(monthBefore(-1))} ends within the limit`).waitFor();
  await page.getByText("As a table").click();
  await page.getByRole("row", { name: `${third} 3 2 over its limit` }).waitFor();

  await page.getByRole("button", { name: `Exclude ${third}` }).click();
  await page.getByLabel("Reason").fill("Invented with the key of the web shop");
  await page.getByRole("button", { name: "Exclude month" }).click();
  await suspension.waitFor({ state: "detached" });
  await page.getByRole("row", { name: `${third} 3 2 over, excluded` }).waitFor();
  assert.equal((await (await signedIn(lodge, "ada@acme.test"))("GET", "/usage")).body.suspension, null);

  await page.getByLabel("Team").check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("3 of 10,000 active installs").waitFor();
  await eventually(async () =>
    assert.equal(await page.getByLabel("Custom limit").inputValue(), "", "a custom limit below the plan's is removed"),
  );
  await page.getByLabel("Custom limit").fill("500");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("3 of 500 active installs").waitFor();
  await page.getByLabel("Custom limit").fill("");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("3 of 10,000 active installs").waitFor();
  assert.deepEqual(problems, []);
});

test("only an owner changes the plan, which an admin sees", async () => {
  const { page, problems } = await open("grace@acme.test", "/usage");
  await page.getByText("Only an owner can change it.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Save" }).count(), 0);
  assert.equal(await page.getByRole("button", { name: /^Exclude/ }).count(), 0);
  assert.deepEqual(problems, []);
});
