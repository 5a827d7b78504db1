import assert from "node:assert/strict";
import { test } from "node:test";
import { password, signedIn, twoOrganisations } from "../../server/src/testing/dashboard-client.ts";
import { startMailServer } from "../../server/src/testing/start-mail-server.ts";
import { startService, withWorker } from "../../server/src/testing/start-service.ts";
import { eventually, until } from "../../server/src/testing/until.ts";
import { openAs, setUpFactor, signInOn, startBrowser } from "./browser.ts";

test("the first visitor creates the owner account and the organisation, then a first board", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  const { page, problems } = await browser.open(lodge.url);
  await page.goto("/");
  await page.getByRole("heading", { name: "Set up Lodge" }).waitFor();
  await page.getByLabel("Organisation").fill("Northwind");
  await page.getByLabel("Your name").fill("Nora North");
  await page.getByLabel("E-mail address").fill("nora@northwind.test");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Create organisation" }).click();
  await page.getByRole("link", { name: "Create a project" }).click();
  await page.getByRole("button", { name: "New project" }).click();
  await page.getByLabel("Name").fill("Website");
  await page.getByRole("button", { name: "Create project" }).click();
  await page.getByRole("button", { name: "New board" }).click();
  await page.getByLabel("Name").fill("Launch");
  await page.getByRole("button", { name: "Create board" }).click();
  await page.getByRole("heading", { name: "Launch Website" }).waitFor();
  await page.getByRole("heading", { name: "To do" }).waitFor();
  assert.deepEqual(problems, []);

  const late = await browser.open(lodge.url);
  await late.page.goto("/setup");
  await late.page.getByRole("heading", { name: "Sign in to Lodge" }).waitFor();
});

test("a wrong password shows an error, and signing out ends the session in every tab", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  await twoOrganisations(lodge);
  const { page } = await browser.open(lodge.url);
  await page.goto("/members");
  await signInOn(page, "grace@acme.test", "not the password");
  await page.getByRole("alert").getByText("The e-mail address or the password is wrong.").waitFor();
  await signInOn(page, "grace@acme.test", password);
  await page.getByRole("heading", { name: "Members", exact: true }).waitFor();
  const tab = await page.context().newPage();
  await tab.goto("/projects");
  await tab.getByRole("heading", { name: "Projects and boards" }).waitFor();
  await page.getByRole("button", { name: "Grace Acme account menu" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in to Lodge" }).waitFor();
  await tab.getByRole("heading", { name: "Sign in to Lodge" }).waitFor();
});

test("an admin invites by link, and the invited person joins and sees the boards", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  await twoOrganisations(lodge);
  const { page, problems } = await browser.open(lodge.url);
  await openAs(page, lodge, "grace@acme.test");
  await page.goto("/members");
  await page.getByRole("button", { name: "Invite" }).click();
  await page.getByLabel("E-mail address").fill("lin@acme.test");
  await page.getByRole("button", { name: "Create link" }).click();
  const link = await page.getByLabel("Link", { exact: true }).inputValue();
  await page.getByRole("button", { name: "Done" }).click();

  const lin = await browser.open(lodge.url);
  await lin.page.goto(link);
  await lin.page.getByRole("heading", { name: "Join Acme" }).waitFor();
  await lin.page.getByLabel("Your name").fill("Lin Acme");
  await lin.page.getByLabel("Choose a password").fill(password);
  await lin.page.getByRole("button", { name: "Join Acme" }).click();
  await lin.page.getByRole("heading", { name: "Backlog" }).waitFor();
  await page.getByText("Lin Acme").first().waitFor();
  await page.getByText("No pending invitations.").waitFor();
  assert.deepEqual([...problems, ...lin.problems], []);

  const late = await browser.open(lodge.url);
  await late.page.goto(link);
  await late.page.getByRole("heading", { name: "This invitation no longer works" }).waitFor();
});

test("a person who forgot their password gets a link by e-mail, chooses a new password and is signed in", async () => {
  await using mail = await startMailServer();
  await using lodge = await startService({
    ...withWorker,
    LODGE_SMTP_URL: mail.url,
    LODGE_MAIL_FROM: "lodge@lodge.test",
  });
  await using browser = await startBrowser();
  await twoOrganisations(lodge);
  const { page, problems } = await browser.open(lodge.url);
  await page.goto("/sign-in");
  await page.getByText("Forgot password?").click();
  await eventually(async () =>
    assert.ok(await page.getByRole("button", { name: "Send the link" }).isDisabled(), "there is no address yet"),
  );
  await page.getByLabel("E-mail address").fill("mel@acme.test");
  await page.getByRole("button", { name: "Send the link" }).click();
  await page.getByText("If mel@acme.test has an account here, Lodge has e-mailed the link.").waitFor();
  const [message = ""] = await mail.until(1);
  const [link = ""] = /http\S+\/passwords\/\w+/.exec(message.replaceAll(/=\r?\n/g, "")) ?? [];
  await page.goto(link);
  await page.getByLabel("New password").fill("another long password");
  await page.getByRole("button", { name: "Save password" }).click();
  await page.getByRole("link", { name: "Settings" }).waitFor();
  assert.deepEqual(problems, []);

  const late = await browser.open(lodge.url);
  await late.page.goto(link);
  await late.page.getByRole("heading", { name: "This link no longer works" }).waitFor();
});

test("an admin changes roles and removes members, but cannot change an owner", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  await twoOrganisations(lodge);
  const { page } = await browser.open(lodge.url);
  await openAs(page, lodge, "grace@acme.test");
  await page.goto("/members");
  await page.getByRole("combobox", { name: "Role of Mel Acme" }).click();
  await page.getByRole("option", { name: "Admin" }).click();
  const mel = await signedIn(lodge, "mel@acme.test");
  await page.getByRole("combobox", { name: "Role of Mel Acme: Admin" }).waitFor();
  await until(async () => (await mel("GET", "/tokens")).status === 200); // the page shows the choice before it is saved
  assert.equal(
    await page.getByRole("combobox", { name: "Role of Ada Acme" }).count(),
    0,
    "only an owner changes owners",
  );
  await page.getByRole("button", { name: "Actions for Mel Acme" }).click();
  await page.getByRole("menuitem", { name: "Remove", exact: true }).click();
  await page.getByRole("alertdialog").locator("button:focus").waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("mel@acme.test").waitFor({ state: "detached" });
  assert.equal((await mel("GET", "/projects")).status, 403);
});

test("a missing page says so, and a page that could not be loaded while offline opens once the network is back", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  const { umbra } = await twoOrganisations(lodge);
  const { page } = await browser.open(lodge.url);
  await page.goto("/no/such/page");
  await page.getByRole("heading", { name: "There is no such page" }).waitFor();
  await openAs(page, lodge, "mel@acme.test");
  await page.goto("/projects");
  await page.getByRole("heading", { name: "Projects and boards" }).waitFor();
  await page.goto(`/boards/${umbra.projects[0]?.boards[0]?.id}`);
  await page.getByRole("heading", { name: "There is no such board" }).waitFor();
  await page.goto("/tickets/00000000-0000-7000-8000-000000000000");
  await page.getByRole("heading", { name: "There is no such card" }).waitFor();

  // Wait until this page has preloaded the Members page while idle. The previous page preloads it, too, and hovering over
  // the link also would.
  const script = page.waitForResponse(
    (answer) => /members-page/.test(answer.url()) && page.url().endsWith("/organisation"),
  );
  await page.goto("/organisation");
  await page.getByRole("heading", { name: "Organisation" }).waitFor();
  await page.evaluate(`import(${JSON.stringify((await script).url())}).then(() => {})`); // with its dependencies
  await page.context().setOffline(true);
  await page.getByRole("link", { name: "Members" }).click();
  await page.getByText("You are offline").waitFor();
  await page.getByRole("heading", { name: "This could not be loaded" }).waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.context().setOffline(false);
  await page.getByText("grace@acme.test").waitFor();
  await page.getByText("You are offline").waitFor({ state: "detached" });
});

test("a member who forgot their password chooses a new one with a link that an admin creates", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  await twoOrganisations(lodge);
  const { page, problems } = await browser.open(lodge.url);
  await openAs(page, lodge, "grace@acme.test");
  await page.goto("/members");
  await page.getByRole("button", { name: "Actions for Mel Acme" }).click();
  await page.getByRole("menuitem", { name: "Create password link" }).click();
  await page.getByRole("dialog", { name: "A new password for Mel Acme" }).locator("button:focus").waitFor();
  await page.keyboard.press("Enter");
  const link = await page.getByLabel("Link", { exact: true }).inputValue();
  const mel = await browser.open(lodge.url);
  await mel.page.goto(link);
  await mel.page.getByRole("heading", { name: "Choose a new password" }).waitFor();
  assert.deepEqual([...problems, ...mel.problems], []);
});

test("a person sets up a second factor and signs in with it, and an owner requires one of everyone", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  const { acme } = await twoOrganisations(lodge);
  const { page, problems } = await browser.open(lodge.url);
  await openAs(page, lodge, "ada@acme.test");
  await page.goto("/members");
  await page.getByLabel("Require a second factor").click();
  await page.getByRole("link", { name: "a second factor of your own" }).click();
  await page.getByRole("button", { name: "Set up a second factor" }).click();
  const [code = ""] = await setUpFactor(page);
  await page.getByText("Recovery codes left: 10 of 10").waitFor();
  await page.getByRole("button", { name: "Ada Acme account menu" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await signInOn(page, "ada@acme.test", password);
  await page.getByLabel("Code", { exact: true }).fill("000000");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("The code is wrong").waitFor();
  await page.getByLabel("Code", { exact: true }).fill(code);
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("link", { name: "Members" }).click();
  const rule = page.getByLabel("Require a second factor");
  await rule.click();
  const required = "select from organisations where id = $1 and requires_second_factor";
  // The page shows the choice before it is saved.
  await until(async () => (await lodge.deps.pool.query(required, [acme.organisation.id])).rowCount === 1);
  await page.reload();
  await rule.and(page.locator(":checked")).waitFor();

  const mel = await browser.open(lodge.url);
  await openAs(mel.page, lodge, "mel@acme.test");
  await mel.page.goto("/members");
  await mel.page.getByRole("heading", { name: "Acme requires a second factor" }).waitFor();
  await setUpFactor(mel.page);
  await mel.page.getByRole("heading", { name: "Members", exact: true }).waitFor();
  assert.deepEqual([...problems, ...mel.problems], []);
});

test("after a required second factor is set up, the board shows the cards that were filed meanwhile", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  const { acme } = await twoOrganisations(lodge);
  const { pool } = lodge.deps;
  const file = (title: string) => lodge.fileTicket(acme.tokens[0]?.secret, { title });
  const { boardId } = (await file("Before")).body;
  const { page, problems } = await browser.open(lodge.url);
  await openAs(page, lodge, "mel@acme.test");
  await page.goto(`/boards/${boardId}`);
  await page.getByRole("link", { name: "Before" }).waitFor();
  await file("Heard");
  await page.getByRole("link", { name: "Heard" }).waitFor();
  await pool.query("update organisations set requires_second_factor = true where id = $1", [acme.organisation.id]);
  const message = { id: "message", organisationId: acme.organisation.id, change: { kind: "members.changed" } };
  await pool.query("select pg_notify('lodge_live', $1)", [JSON.stringify(message)]);
  await page.getByRole("heading", { name: "Acme requires a second factor" }).waitFor();
  await file("Meanwhile");
  await setUpFactor(page);
  await page.getByRole("link", { name: "Before" }).waitFor();
  await file("Afterwards");
  await page.getByRole("link", { name: "Afterwards" }).waitFor();
  await page.getByRole("link", { name: "Meanwhile" }).waitFor();
  assert.deepEqual(problems, []);
});
