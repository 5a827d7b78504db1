import { test } from "node:test";
import { twoOrganisations } from "../../server/src/testing/dashboard-client.ts";
import { startService } from "../../server/src/testing/start-service.ts";
import { openAs, setUpFactor, startBrowser } from "./browser.ts";

test("a person who sets up a second factor in another organisation has access when they return", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  const { acme, umbra } = await twoOrganisations(lodge);
  const { pool } = lodge.deps;
  await pool.query(
    "insert into members (organisation_id, user_id, role) select $1, id, 'member' from users where email = 'mel@acme.test'",
    [umbra.organisation.id],
  );
  await pool.query("update organisations set requires_second_factor = true where id = $1", [acme.organisation.id]);
  const { page } = await browser.open(lodge.url);
  await openAs(page, lodge, "mel@acme.test");
  await page.goto("/projects");
  await page.getByRole("heading", { name: "Acme requires a second factor" }).waitFor();
  await page.getByRole("button", { name: "Go to Umbra" }).click();
  await page.getByRole("button", { name: "Organisation: Umbra" }).waitFor();
  await page.getByRole("button", { name: "Mel Acme account menu" }).click();
  await page.getByRole("menuitem", { name: "Profile" }).click();
  await page.getByRole("button", { name: "Set up a second factor" }).click();
  await setUpFactor(page);
  await page.getByText("Recovery codes left: 10 of 10").waitFor();
  await page.getByRole("button", { name: "Organisation: Umbra" }).click();
  await page.getByRole("menuitem", { name: "Acme" }).click();
  await page.getByRole("button", { name: "Organisation: Acme" }).waitFor();
});

test("a tab that asks for a second factor continues once it is set up in another tab or no longer required", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  const { acme } = await twoOrganisations(lodge);
  const { pool } = lodge.deps;
  await pool.query("update organisations set requires_second_factor = true where id = $1", [acme.organisation.id]);
  const { page } = await browser.open(lodge.url);
  await openAs(page, lodge, "mel@acme.test");
  const tab = await page.context().newPage();
  for (const each of [page, tab]) {
    await each.goto("/projects");
    await each.getByRole("heading", { name: "Acme requires a second factor" }).waitFor();
  }
  await setUpFactor(page);
  await page.getByRole("heading", { name: "Projects and boards" }).waitFor();
  // A tab learns of a changed session by a message from another tab, or when it gets the focus.
  const session = tab.waitForResponse("**/api/dashboard/session");
  await page.evaluate("new BroadcastChannel('lodge').postMessage({ kind: 'session.changed' })");
  await (await session).finished();
  await tab.getByRole("heading", { name: "Projects and boards" }).waitFor();
});
