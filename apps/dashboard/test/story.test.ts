import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { password, twoOrganisations } from "../../server/src/testing/dashboard-client.ts";
import { startService } from "../../server/src/testing/start-service.ts";
import { eventually } from "../../server/src/testing/until.ts";
import { signInOn, startBrowser } from "./browser.ts";

test("an admin creates a token, and a ticket filed with it from a terminal appears on the open board", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  await twoOrganisations(lodge);
  const { page, problems } = await browser.open(lodge.url);
  await page.goto("/");
  await signInOn(page, "grace@acme.test", password);
  await page.getByRole("heading", { name: "Backlog" }).waitFor();

  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("link", { name: "API tokens" }).click();
  await page.getByRole("button", { name: "New token" }).click();
  await page.getByLabel("Name").fill("Release robot");
  await page.getByLabel("Chosen projects").check();
  await page.getByRole("checkbox", { name: "Web" }).check();
  await page.getByRole("button", { name: "Create token" }).click();
  const secret = await page.getByRole("region", { name: "Secret", exact: true }).locator("code").innerText();
  const curl = await page.getByRole("region", { name: "File a ticket from a terminal" }).locator("code").innerText();
  assert.match(secret, /^ldg_\w{40,}$/);
  assert.ok(curl.includes(secret));
  await page.keyboard.press("Escape");
  await page.mouse.click(5, 5);
  await page.getByRole("button", { name: "I have copied it" }).click();
  await page.getByRole("rowheader", { name: "Release robot" }).waitFor();
  await eventually(async () => assert.ok(!(await page.content()).includes(secret), "the secret is not shown again"));

  await page.getByRole("region", { name: "Web" }).getByRole("link", { name: "Inbox" }).click();
  const backlog = page.getByRole("region", { name: "Backlog" });
  await backlog.getByText("Waiting for the first card").waitFor();
  const { stdout } = await promisify(execFile)("sh", ["-c", `${curl} --silent --fail`]);
  assert.equal(JSON.parse(stdout).title, "Nightly build is red");
  const card = backlog.getByRole("link", { name: "Nightly build is red" });
  await card.waitFor();
  await backlog.getByText("Release robot", { exact: true }).waitFor();

  await card.click();
  await page.getByRole("dialog", { name: "Nightly build is red" }).getByText("filed the card").waitFor();
  assert.equal(new URL(page.url()).pathname, new URL(JSON.parse(stdout).url).pathname);
  assert.deepEqual(problems, []);
});
