import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createHook, listHooks, listProjects } from "@lodge/contract/calls.generated";
import { signedIn, twoOrganisations } from "../../server/src/testing/dashboard-client.ts";
import { startService } from "../../server/src/testing/start-service.ts";
import { eventually, until } from "../../server/src/testing/until.ts";
import { openAs, startBrowser } from "./browser.ts";

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const lodge = stack.use(await startService());
const browser = stack.use(await startBrowser());
const { acme, umbra } = await twoOrganisations(lodge);

async function open(email: string, path: string) {
  const opened = await browser.open(lodge.url, { viewport: { width: 1440, height: 900 } });
  await openAs(opened.page, lodge, email);
  await opened.page.goto(path);
  return opened;
}

test("an admin renames the organisation, adds and removes repositories, copies ids, and sees it in the audit log", async () => {
  const { page, problems } = await open("grace@acme.test", "/organisation");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const settings = page.getByRole("region", { name: "Settings" });
  await settings.getByLabel("Name").fill("Acme Works");
  await settings.getByRole("button", { name: "Save" }).click();
  await page.getByRole("navigation").getByText("Acme Works").waitFor();

  const repositories = page.getByRole("region", { name: "Repositories" });
  await repositories.getByRole("button", { name: "Add repository" }).click();
  await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("api"); // the page has a field with this name, too
  await page.getByLabel("URL", { exact: true }).fill("https://ada:secret@git.example.test/api.git");
  await page.getByRole("dialog").getByRole("button", { name: "Add repository" }).click();
  await page.getByRole("alert").getByText("must not contain a password").waitFor();
  await page.getByLabel("URL", { exact: true }).fill("https://git.example.test/api.git");
  await page.getByRole("dialog").getByRole("button", { name: "Add repository" }).click();
  await repositories.getByText("https://git.example.test/api.git").waitFor();
  await repositories.getByRole("button", { name: "Remove web" }).click();
  await page.getByRole("button", { name: "Remove repository" }).click();
  await repositories.getByText("https://git.example.test/web.git").waitFor({ state: "detached" });

  await page.getByRole("button", { name: /^Web · / }).click();
  await until(async () => {
    await page.getByRole("button", { name: /columnId of Inbox › Doing/ }).click();
    await page.getByRole("button", { name: "columnId of Inbox › Doing copied" }).waitFor();
    const copied = await page.evaluate("navigator.clipboard.readText()"); // all pages of the machine share one clipboard
    return copied === acme.projects[0]?.boards[0]?.columns[1]?.id;
  });

  await page.getByRole("main").getByRole("link", { name: "Audit log" }).click();
  const entry = page.getByRole("listitem").filter({ hasText: "Repository removed by Grace Acme" });
  await entry.getByText("https://git.example.test/web.git").waitFor();
  await page
    .getByRole("listitem")
    .filter({ hasText: "Organisation renamed by Grace Acme" })
    .getByText("Acme Works")
    .waitFor();
  assert.deepEqual(problems, []);
});

test("deleting a board names the apps that file cards on it and deletes their subscribers", async () => {
  await lodge.apply({
    organisation: { name: "Acme Works", slug: "acme" },
    projects: [{ name: "Mobile", slug: "mobile", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
    apps: [
      {
        name: "Phone",
        slug: "phone",
        subscribers: [{ kind: "board", project: "mobile", board: "Inbox", column: "Backlog" }],
      },
    ],
  });
  const { page, problems } = await open("ada@acme.test", "/projects");
  const mobile = page.getByRole("main").getByRole("region", { name: "Mobile" });
  await mobile.getByRole("button", { name: "Actions for the board Inbox" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByText("Reports from the app “Phone” create cards on it.").waitFor();
  await page.getByRole("button", { name: "Delete the board and its subscribers" }).click();
  await mobile.getByText("No boards yet").waitFor();
  const { projects } = await (await signedIn(lodge, "ada@acme.test")).call(listProjects);
  assert.deepEqual(projects.find(({ slug }) => slug === "mobile")?.boards, []);
  assert.deepEqual(problems, []);
});

test("a member sees the ids but cannot change the organisation", async () => {
  const { page } = await open("mel@acme.test", "/organisation");
  await page.getByRole("button", { name: /^Web · / }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Add repository" }).count(), 0);
  assert.equal(await page.getByRole("link", { name: "Audit log" }).count(), 0);
  await page.goto("/audit");
  await page.getByRole("heading", { name: "The audit log is for owners and admins" }).waitFor();
});

test("a webhook is created, its secret is rotated with both secrets valid, and it is deleted", async () => {
  const { page, problems } = await open("ada@acme.test", "/integrations");
  await page.getByText("No webhooks yet").waitFor();
  await page.getByRole("button", { name: "New webhook" }).click();
  await page.getByLabel("URL", { exact: true }).fill("https://hooks.example.test/acme");
  await page.keyboard.press("Enter");
  const made = page.getByRole("dialog", { name: "Webhook created" });
  const first = await made.getByText(/^whsec_/).innerText();
  await page.keyboard.press("Escape"); // Escape does not close the dialog
  await made.getByRole("button", { name: "I have copied it" }).click();
  await page.getByText("Nothing sent yet").waitFor();
  await page.getByRole("button", { name: "Rotate secret of https://hooks.example.test/acme" }).click();
  await page.getByRole("button", { name: "Rotate", exact: true }).click();
  const rotated = page.getByRole("dialog", { name: "The new secret" });
  await eventually(async () => assert.notEqual(await rotated.getByText(/^whsec_/).innerText(), first));
  await rotated.getByRole("button", { name: "I have copied it" }).click();
  await page.getByText("also signed with the previous secret until").waitFor();
  await page.getByRole("button", { name: "Delete https://hooks.example.test/acme" }).click();
  await page.getByRole("button", { name: "Delete webhook" }).click();
  await page.getByText("No webhooks yet").waitFor();
  await page.goto("/audit");
  await page.getByRole("listitem").filter({ hasText: "Webhook's secret rotated by Ada" }).waitFor();
  assert.deepEqual(problems, []);
});

test("a webhook receives only the chosen ticket events of the chosen projects", async () => {
  const eve = await signedIn(lodge, "eve@umbra.test");
  const url = "https://hooks.example.test/umbra";
  const { hook } = await eve.call(createHook, { body: { url, ticketTypes: [], projectIds: null } });
  const { page, problems } = await open("eve@umbra.test", `/hooks/${hook.id}`);
  await page.getByText("Organisation alerts only").waitFor();
  await page.getByRole("button", { name: "Choose events" }).click();
  const dialog = page.getByRole("dialog", { name: "Choose events" });
  await dialog.getByRole("checkbox", { name: "ticket.created" }).check();
  await dialog.getByRole("checkbox", { name: "ticket.done" }).check();
  await dialog.getByRole("radio", { name: "Chosen projects" }).check();
  await dialog.getByRole("checkbox", { name: "Web", exact: true }).check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Alerts, and ticket events in 1 project: created, done").waitFor();
  const [saved] = (await eve.call(listHooks)).hooks;
  assert.deepEqual(saved?.ticketTypes.toSorted(), ["ticket.created", "ticket.done"]);
  assert.deepEqual(saved?.projectIds, [umbra.projects.find(({ slug }) => slug === "web")?.id]);
  assert.deepEqual(problems, []);
});
