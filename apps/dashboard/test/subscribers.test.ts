import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startMailServer } from "../../server/src/testing/start-mail-server.ts";
import { startReceiver } from "../../server/src/testing/start-receiver.ts";
import { startService, withWorker } from "../../server/src/testing/start-service.ts";
import { submitReport } from "../../server/src/testing/submit-report.ts";
import { deliveriesIn, subscribe } from "../../server/src/testing/subscribe.ts";
import { eventually, until } from "../../server/src/testing/until.ts";
import { findBarriers } from "./axe.ts";
import { openAs, startBrowser } from "./browser.ts";

const started = new AsyncDisposableStack();
after(() => started.disposeAsync());
const mails = started.use(await startMailServer());
const lodge = started.use(
  await startService({
    ...withWorker,
    LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1",
    LODGE_WEBHOOK_RETRY_SCHEDULE: "100ms",
    LODGE_SMTP_URL: mails.url,
    LODGE_MAIL_FROM: "lodge@lodge.test",
  }),
);
let status = 500;
const receiver = started.use(
  await startReceiver((_request, response) => response.writeHead(status).end("The disk is full.")),
);
// The responses for a repository's issues as documented by GitHub.
const gitHub = started.use(
  await startReceiver(({ method, headers }, response) => {
    const isKnown = headers.authorization === "Bearer github_pat_1";
    const [answer, body] = !isKnown
      ? [401, { message: "Bad credentials" }]
      : method === "GET"
        ? [200, []]
        : [201, { number: 1 }];
    response.writeHead(answer, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(body));
  }),
);
const browser = started.use(await startBrowser());
let key: string;
before(async () => {
  ({ key } = await subscribe(lodge, [{ kind: "slack", url: "http://10.0.0.1/services/secret" }], {
    members: [
      { name: "Ada", email: "ada@acme.test", role: "admin" },
      { name: "Mel", email: "mel@acme.test", role: "member" },
    ],
  }));
});

async function open(email: string, path: string) {
  const opened = await browser.open(lodge.url, { viewport: { width: 1440, height: 900 } });
  await openAs(opened.page, lodge, email);
  await opened.page.goto(path);
  return opened;
}

test("an admin tests and creates a webhook, sees its health, and resends failed deliveries", async () => {
  const { page, problems } = await open("ada@acme.test", "/");
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("link", { name: "Integrations" }).click();
  await page.getByRole("button", { name: "New subscriber" }).click();
  await page.getByLabel("URL", { exact: true }).fill(`${receiver.url}/hook`);
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText("It answered 500.").waitFor();
  status = 204;
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText("The test message arrived: HTTP 204").waitFor();
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: `Webhook ${receiver.url}/hook` }).waitFor();

  status = 500;
  await submitReport(lodge.url, key, { reportId: "r", title: "Crash on start" });
  await deliveriesIn(lodge, "dead", 2);
  await page.getByRole("button", { name: "Resend all failed deliveries" }).waitFor();
  await page.getByText("2 attempts").click();
  await page.getByText("The disk is full.").first().waitFor();
  status = 204;
  await page.getByRole("button", { name: "Resend all failed deliveries" }).click();
  await page.getByText("1 delivery is being resent").waitFor();
  await page.getByText("Delivered", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Actions for the delivery" }).click();
  await page.getByRole("menuitem", { name: "Copy as curl" }).click();
  await page.getByText("--data-binary").waitFor();
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "Rotate secret" }).click();
  await page.getByRole("button", { name: "Rotate", exact: true }).click();
  await page.getByRole("button", { name: "I have copied it" }).click();
  await page.getByText("Messages are also signed with it until").waitFor();
  await page.getByRole("button", { name: "Disable" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Disable subscriber" }).click();
  await page.getByText("Disabled by Ada.").waitFor();
  await page.getByRole("button", { name: "Enable" }).click();
  const missed = page.getByRole("dialog", { name: "Send missed events" });
  await missed.getByText("No events to send.").waitFor();
  await submitReport(lodge.url, key, { reportId: "before" });
  await missed.getByLabel("Include events it already received").check();
  await missed.getByText(/^\d+ events? will be sent in less than a minute\.$/).waitFor();
  await missed.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText(/sent, started by Ada, done/).waitFor();
  await page.getByText("Active").waitFor();
  assert.deepEqual(problems, []);
});

test("a member sees the deliveries of an event and why others were filtered, but cannot resend them", async () => {
  const { eventId } = await submitReport(lodge.url, key, { reportId: "seen", title: "Seen" });
  const { page, problems } = await open("mel@acme.test", `/events/${eventId}`);
  const told = page.getByRole("region", { name: "Deliveries" });
  await told.getByText("Failed permanently").waitFor();
  await told.getByText("Delivered", { exact: true }).waitFor();
  await told.getByText("2 attempts").click();
  await told.getByText("10.0.0.1 is private").first().waitFor();
  assert.equal(await told.getByText("services/secret").count(), 0);
  assert.equal(await told.getByRole("button").count(), 0);
  assert.deepEqual(problems, []);
});

test("a failed delivery blocks an ordered subscriber until an admin skips it", async () => {
  const { page, problems } = await open("ada@acme.test", "/integrations");
  await page.getByRole("button", { name: "New subscriber" }).click();
  await page.getByLabel("URL", { exact: true }).fill(`${receiver.url}/ordered`);
  await page.getByLabel("Rate limit (per minute)").fill("600");
  await page.getByLabel("One at a time, in order").check();
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText("At most 600 messages a minute.").waitFor();
  await page.getByText("One at a time, in order.").waitFor();
  status = 500;
  await submitReport(lodge.url, key, { reportId: "stuck" });
  await page.getByText(/^\d+ attempts$/).click(); // the retry schedule has one delay, which then repeats
  await page.getByRole("button", { name: "Actions for the delivery" }).click();
  await page.getByRole("menuitem", { name: "Skip" }).click();
  await page.getByText("Skipped by Ada.").waitFor();
  await page.getByText("Failed permanently").waitFor();
  status = 204;
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Rate limit (per minute)").fill("");
  await page.getByLabel("One at a time, in order").uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("At most 600 messages a minute.").waitFor({ state: "detached" });
  await page.getByText("One at a time, in order.").waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText("Its deliveries, attempts and replays are deleted permanently.").waitFor();
  await page.getByRole("button", { name: "Delete subscriber" }).click();
  await page.getByText("Subscriber deleted").waitFor();
  await page.getByText(`${receiver.url}/hook`).waitFor();
  await page.getByText(`${receiver.url}/ordered`).waitFor({ state: "detached" });
  assert.deepEqual(problems, []);
});

test("each kind of subscriber asks for its fields, shows its errors, and is tested and created by keyboard", async () => {
  const { page, problems } = await open("ada@acme.test", "/integrations");
  const dialog = page.getByRole("dialog", { name: "New subscriber" });
  const begin = async (kind: string) => {
    await page.goto("/integrations");
    await page.getByRole("button", { name: "New subscriber" }).press("Enter");
    await dialog.getByRole("combobox", { name: "Kind: Webhook" }).press("Enter");
    await page.getByRole("option", { name: kind, exact: true }).waitFor();
    await page.keyboard.type(kind.slice(0, 4));
    await page.getByRole("option", { name: kind, exact: true }).press("Enter");
    await dialog.getByRole("combobox", { name: `Kind: ${kind}` }).waitFor();
    assert.deepEqual(await findBarriers(page), [], kind);
    await page.setViewportSize({ width: 390, height: 844 });
    await eventually(async () => assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 390, kind));
    await page.setViewportSize({ width: 1440, height: 900 });
  };
  const test = () => dialog.getByRole("button", { name: "Send a test" }).press("Enter");

  status = 204;
  for (const kind of ["Discord", "Microsoft Teams"]) {
    await begin(kind);
    const address = dialog.getByLabel("URL", { exact: true });
    await address.fill("acme");
    await address.press("Enter");
    assert.equal(
      await address.evaluate((input: { validity: { typeMismatch: boolean } }) => input.validity.typeMismatch),
      true,
    );
    await address.fill(`${receiver.url}/${kind.slice(0, 5)}`);
    await test();
    await dialog.getByText("The test message arrived: HTTP 204").waitFor();
    await address.press("Enter");
    await page.getByRole("heading", { name: `${kind} ${receiver.url}` }).waitFor();
    await eventually(async () =>
      assert.ok(
        !(await page.getByRole("heading", { level: 1 }).innerText()).includes("/Disc"),
        "the heading hides the path, which is a secret",
      ),
    );
  }

  await begin("E-mail");
  const mail = dialog.getByLabel("E-mail address");
  await mail.fill("50%@acme.test");
  await mail.press("Enter");
  await dialog.getByRole("alert").getByText("must be mailto: and one e-mail address").waitFor();
  await mail.fill("crew@acme.test");
  await test();
  await dialog.getByText("The test message arrived after").waitFor();
  await mail.press("Enter");
  await page.getByRole("heading", { name: "E-mail crew@acme.test" }).waitFor();
  await page.getByText("At most 10 messages a minute.").waitFor();
  const sent = await mails.until(1); // other messages tell Ada about failed deliveries
  assert.ok(sent.some((message) => /^To: crew@acme\.test\r?$/m.test(message)));
  await page.getByText("Waiting for confirmation").waitFor();
  await page.getByRole("button", { name: "Resend link" }).press("Enter");
  await page.getByText("Link sent").waitFor();
  const secretOf = (message: string) => /subscriptions\/(\w+)/.exec(message.replaceAll(/=\r?\n/g, ""))?.[1];
  const links = () => mails.until(1).then((all) => all.flatMap((message) => secretOf(message) ?? []));
  await until(async () => (await links()).length === 2);
  const owner = await browser.open(lodge.url, { viewport: { width: 390, height: 844 } });
  await owner.page.goto(`/subscriptions/${(await links()).at(-1)}`);
  await owner.page.getByRole("heading", { name: "Receive reports from iOS?" }).waitFor();
  assert.deepEqual(await findBarriers(owner.page), []);
  await owner.page.getByRole("button", { name: "Confirm" }).press("Enter");
  await owner.page.getByRole("heading", { name: "Confirmed" }).waitFor();
  assert.deepEqual(owner.problems, []);
  await page.getByText("Active", { exact: true }).waitFor();

  await begin("GitHub issue");
  await dialog.getByLabel("Repository").fill(`${gitHub.url}/acme/web`);
  const token = dialog.getByLabel("Token");
  await token.fill("github_pat_0");
  await test();
  await dialog.getByText("Bad credentials").waitFor();
  await token.fill("github_pat_1");
  await test();
  await dialog.getByText("The test message arrived: HTTP 201").waitFor();
  await token.press("Enter");
  await page.getByRole("heading", { name: `GitHub issue ${gitHub.url}/acme/web` }).waitFor();
  await page.getByRole("button", { name: "Edit" }).press("Enter");
  const edit = page.getByRole("dialog", { name: "Edit subscriber" });
  await eventually(async () =>
    assert.equal(await edit.getByLabel("Token").inputValue(), "", "the token is never shown"),
  );
  await edit.getByRole("button", { name: "Send a test" }).press("Enter");
  await edit.getByText("The test message arrived: HTTP 201").waitFor();
  assert.deepEqual(await findBarriers(page), []);
  assert.deepEqual(problems, []);
});
