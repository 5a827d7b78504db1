import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startService } from "../../server/src/testing/start-service.ts";
import { openAs, startBrowser } from "./browser.ts";

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
// Browsers expire session cookies by the real time, so the test uses today's date, with data from previous weeks.
const now = new Date();
const lodge = stack.use(await startService({}, { clock: { now: () => now } }));
const browser = stack.use(await startBrowser());
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const monday = Math.floor((now.getTime() / dayMs - 4) / 7) * 7 * dayMs + 4 * dayMs;
const weekBefore = (count: number) => new Date(monday - count * 7 * dayMs);
const named = (date: Date) => date.toLocaleString("en-US", { month: "short", day: "numeric", timeZone: "UTC" });

const acme = await lodge.apply({
  organisation: { name: "Acme", slug: "acme" },
  members: [{ email: "ada@acme.test", name: "Ada", role: "owner" }],
  projects: [
    {
      name: "Web",
      slug: "web",
      boards: [
        { name: "Inbox", columns: ["To do", "Done"], doneColumn: "Done" },
        { name: "Ideas", columns: ["All"] },
      ],
    },
  ],
  tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
});
const [inbox, ideas] = acme.projects[0]?.boards ?? [];

async function addCard(week: Date, doneAfterHours: number | null, labels: string[]) {
  await lodge.deps.db
    .insertInto("tickets")
    .values({
      organisation_id: acme.organisation.id,
      column_id: inbox?.columns[doneAfterHours === null ? 0 : 1]?.id ?? "",
      position: "f",
      title: "A card",
      labels,
      author_token_id: acme.tokens[0]?.id ?? "",
      author_name: "CI",
      created_at: week,
      done_at: doneAfterHours === null ? null : new Date(week.getTime() + doneAfterHours * hourMs),
    })
    .execute();
}
await addCard(weekBefore(3), 6, ["bug"]);
await addCard(weekBefore(3), 10, ["bug"]);
await addCard(weekBefore(2), null, ["bug", "ui"]);
await addCard(weekBefore(20), 72, []);

async function open(path: string) {
  const opened = await browser.open(lodge.url, { viewport: { width: 1440, height: 900 } });
  await openAs(opened.page, lodge, "ada@acme.test");
  await opened.page.goto(path);
  return opened;
}

test("a board's menu opens its insights, each chart has a table, and the period can be changed", async () => {
  const { page, problems } = await open(`/boards/${inbox?.id}`);
  await page.getByRole("button", { name: "Actions for this board" }).click();
  await page.getByRole("menuitem", { name: "Insights" }).click();
  await page.getByRole("heading", { name: "Insights" }).waitFor();
  const part = (name: string) => page.getByRole("region", { name, exact: true });
  const table = async (name: string) => {
    await part(name).getByText("As a table").click();
    return (row: string) => part(name).getByRole("row", { name: row, exact: true }).waitFor();
  };
  await page.getByRole("img", { name: /^3 cards created and 2 done in 12 weeks/ }).waitFor();
  const createdAndDone = await table("Created and done");
  await createdAndDone(`${named(weekBefore(3))} 2 2`);
  await createdAndDone(`${named(weekBefore(2))} 1 0`);
  const cycleTimes = await table("Cycle time");
  await cycleTimes(`${named(weekBefore(3))} 8 hr 9.6 hr`);
  await cycleTimes(`${named(weekBefore(2))} – –`);
  const ages = await table("Age of open cards");
  await ages("7–30 days 1");
  await ages("Over 90 days 0");
  await part("By author").getByRole("row", { name: "API token CI 3 2 8 hr 9.6 hr 1 0 0 1 0 0" }).waitFor();
  await part("By label").getByRole("row", { name: "bug 3 2 8 hr 9.6 hr 1 0 0 1 0 0" }).waitFor();
  await part("By label").getByRole("row", { name: "ui 1 0 – – 1 0 0 1 0 0" }).waitFor();

  await page.getByRole("combobox", { name: "Period: Last 12 weeks" }).click();
  await page.getByRole("option", { name: "Last 26 weeks" }).click();
  await page.waitForURL(/weeks=26/);
  await page.getByRole("img", { name: /^4 cards created and 3 done in 26 weeks/ }).waitFor();
  await part("By label").getByRole("row", { name: "No label 1 1 3 days 3 days 0 0 0 0 0 0" }).waitFor();
  await page.reload();
  await page.getByRole("combobox", { name: "Period: Last 26 weeks" }).waitFor();
  await page.getByRole("link", { name: "Inbox" }).last().waitFor();
  assert.deepEqual(problems, []);
});

test("a board without cards explains what will appear, and an unknown board is not found", async () => {
  const { page, problems } = await open(`/boards/${ideas?.id}/insights`);
  await page.getByRole("heading", { name: "No figures yet" }).waitFor();
  await page.getByRole("link", { name: "Open the board" }).click();
  await page.waitForURL(`**/boards/${ideas?.id}`);
  await page.getByRole("button", { name: "Actions for this board" }).waitFor();
  await page.goto("/boards/00000000-0000-7000-8000-000000000000/insights");
  await page.getByRole("heading", { name: "There is no such board" }).waitFor();
  assert.deepEqual(problems, []);
});
