import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { twoOrganisations } from "../../server/src/testing/dashboard-client.ts";
import { startService } from "../../server/src/testing/start-service.ts";
import { eventually } from "../../server/src/testing/until.ts";
import { openAs, startBrowser } from "./browser.ts";
import { hold } from "./hold.ts";

async function choose(page: Page, what: string, action: string) {
  await page.getByRole("button", { name: `Actions for the ${what}` }).click();
  await page.getByRole("menuitem", { name: action }).click();
}

test("projects and boards are renamed, reordered, and deleted while empty", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  const { acme } = await twoOrganisations(lodge);
  await lodge.fileTicket(acme.tokens[0]?.secret, { title: "In the way" });
  const { page, problems } = await browser.open(lodge.url);
  await openAs(page, lodge, "grace@acme.test");
  await page.goto("/projects");
  const main = page.getByRole("main");

  await choose(page, "project Mobile", "Move up");
  await main.getByRole("heading", { level: 2 }).first().and(main.getByText("Mobile")).waitFor();
  await choose(page, "project Mobile", "Rename");
  await page.getByRole("textbox", { name: "Name" }).fill("Apps");
  await page.getByRole("button", { name: "Rename" }).click();
  await main.getByRole("heading", { name: "Apps", exact: true }).waitFor();
  await page.getByRole("navigation").getByRole("heading", { name: "Apps", exact: true }).waitFor();

  const web = main.getByRole("region", { name: "Web" });
  await web.getByRole("button", { name: "New board" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Later");
  await page.getByRole("button", { name: "Create board" }).click();
  await page.getByRole("heading", { name: "Later Web" }).waitFor(); // a new board opens
  await page.goBack();
  await web.getByRole("listitem").filter({ hasText: "Inbox" }).getByText("1 open").waitFor();
  await choose(page, "board Later", "Move up");
  await web.getByRole("listitem").first().getByText("Later").waitFor();
  await choose(page, "board Later", "Delete");
  await page.getByRole("button", { name: "Delete the board" }).click();
  await main.getByText("Later").waitFor({ state: "detached" });

  await choose(page, "project Web", "Delete");
  await page.getByRole("button", { name: "Delete the project" }).click();
  await page.getByRole("alert").getByText("There are still cards in the project").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await choose(page, "project Apps", "Delete");
  await page.getByRole("button", { name: "Delete the project" }).click();
  await page.getByRole("alertdialog").waitFor({ state: "detached" });
  await main.getByRole("heading", { name: "Apps", exact: true }).waitFor({ state: "detached" });
  assert.deepEqual(problems, []);
});

test("a member creates boards but cannot change projects", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  await twoOrganisations(lodge);
  const { page } = await browser.open(lodge.url);
  await openAs(page, lodge, "mel@acme.test");
  await page.goto("/projects");
  await page.getByRole("button", { name: "New board" }).first().waitFor();
  assert.equal(await page.getByRole("button", { name: "New project" }).count(), 0);
  assert.equal(await page.getByRole("button", { name: "Actions for the project Web" }).count(), 0);
});

test("the start page does not redirect a person who has already opened another page", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  await twoOrganisations(lodge);
  const { page, problems } = await browser.open(lodge.url);
  await openAs(page, lodge, "mel@acme.test");
  const projects = await hold(page, "GET", /\/api\/dashboard\/projects$/);
  const script = await hold(page, "GET", /\/projects-page/);
  await page.goto("/");
  await page.getByRole("link", { name: "Projects and boards" }).click();
  await page.waitForURL(/\/projects$/);
  projects.release();
  await page.locator("nav a[href^='/boards/']").first().waitFor(); // the boards are loaded
  script.release();
  await page.getByRole("heading", { name: "Projects and boards" }).waitFor();
  assert.deepEqual(problems, []);
});

test("a chosen theme survives a reload and applies from the first paint", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  await twoOrganisations(lodge);
  const { page, problems } = await browser.open(lodge.url, { colorScheme: "light" });
  await openAs(page, lodge, "mel@acme.test");
  await page.goto("/members");
  await page.getByRole("button", { name: "Mel Acme account menu" }).click();
  await page.getByRole("menuitem", { name: "Dark" }).click();
  const isDark = () =>
    eventually(async () =>
      assert.equal(
        await page.evaluate("getComputedStyle(document.documentElement).backgroundColor"),
        "rgb(18, 19, 18)",
      ),
    );
  await isDark();
  await page.reload({ waitUntil: "commit" });
  await page.locator("body").waitFor({ state: "attached" });
  assert.equal(await page.evaluate("document.documentElement.dataset.theme"), "dark");
  await page.getByRole("heading", { name: "Members", exact: true }).waitFor();
  await isDark();
  assert.deepEqual(problems, []);
});
