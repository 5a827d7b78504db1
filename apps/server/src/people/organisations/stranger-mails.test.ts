import assert from "node:assert/strict";
import { test } from "node:test";
import { signedIn, twoOrganisations } from "../../testing/dashboard-client.ts";
import { movableClock } from "../../testing/movable-clock.ts";
import { startMailServer } from "../../testing/start-mail-server.ts";
import { startService, withWorker } from "../../testing/start-service.ts";

const from = { ...withWorker, LODGE_MAIL_FROM: "Lodge <lodge@lodge.test>" };

test("an organisation mails a stranger three times a day, whoever asks and however fast", async () => {
  await using mail = await startMailServer();
  const clock = movableClock();
  await using lodge = await startService({ ...from, LODGE_SMTP_URL: mail.url }, { clock });
  await twoOrganisations(lodge);
  const admins = [await signedIn(lodge, "ada@acme.test"), await signedIn(lodge, "grace@acme.test")];
  const invite = (index: number, email = "Stranger@else.test") =>
    admins[index % 2]?.("POST", "/invitations", { email, role: "member" });
  const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => invite(index)));
  const statuses = answers.map((answer) => answer?.status);
  assert.deepEqual(statuses.sort(), [201, 201, 201, 429, 429, 429, 429, 429]);
  const refused = await invite(0);
  assert.deepEqual([refused?.status, refused?.body.error], [429, "rate_limit_exceeded"]);
  assert.match(String(refused?.body.message), /3 e-mails today\. Try again after midnight UTC, or hand the link over/);
  const seconds = Number(refused?.headers.get("retry-after"));
  assert.ok(seconds > 0 && seconds <= 86_400, `${seconds}`);
  assert.equal((await invite(0, "another@else.test"))?.status, 201);
  const eve = await signedIn(lodge, "eve@umbra.test");
  assert.equal((await eve("POST", "/invitations", { email: "stranger@else.test", role: "member" })).status, 201);
  await lodge.deps.db
    .updateTable("users")
    .set({ email_verified_at: new Date() })
    .where("name", "=", "Eve Umbra")
    .execute();
  for (let times = 0; times < 5; times++)
    assert.equal((await invite(times, "eve@umbra.test"))?.status, 201, "verified");
  clock.move(86_400_000);
  assert.equal((await invite(0))?.status, 201, "the next day");
});

test("an organisation mails fifty times a day to strangers", async () => {
  await using mail = await startMailServer();
  await using lodge = await startService({ ...from, LODGE_SMTP_URL: mail.url });
  await twoOrganisations(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const answers = await Promise.all(
    Array.from({ length: 54 }, (_, index) =>
      ada("POST", "/invitations", { email: `stranger-${index}@else.test`, role: "member" }),
    ),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 50);
  assert.equal(answers.filter(({ status }) => status === 429).length, 4);
});

test("where no e-mail is sent, nothing is counted", async () => {
  await using lodge = await startService();
  await twoOrganisations(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  for (let times = 0; times < 5; times++) {
    assert.equal((await ada("POST", "/invitations", { email: "new@else.test", role: "member" })).status, 201);
  }
});

test("names with line breaks that are stored already change neither subject, headers nor body of an e-mail", async () => {
  await using mail = await startMailServer();
  await using lodge = await startService({ ...from, LODGE_SMTP_URL: mail.url });
  await twoOrganisations(lodge);
  const evil = "Ada\r\nBcc: victim@else.test\r\n\r\nPay\u2028now\u0085at https://evil.test";
  const { db } = lodge.deps;
  await db.updateTable("users").set({ name: evil }).where("email", "=", "ada@acme.test").execute();
  await db
    .updateTable("organisations")
    .set({ name: "Acme\nReply-To: x@evil.test" })
    .where("slug", "=", "acme")
    .execute();
  const ada = await signedIn(lodge, "ada@acme.test");
  const renamed = await ada("PATCH", "/profile", { name: evil });
  assert.deepEqual([renamed.status, renamed.body.error], [400, "invalid_input"]);
  assert.equal((await ada("POST", "/invitations", { email: "new@else.test", role: "member" })).status, 201);
  await ada("POST", "/password-links", { email: "ada@acme.test" });
  for (const sent of await mail.until(2)) {
    const message = sent.replaceAll(/=\r?\n/g, ""); // long lines are folded on their way
    assert.doesNotMatch(message, /^(?:Bcc|Reply-To|Pay)/im);
    assert.equal(message.match(/^Subject:/gm)?.length, 1);
  }
});
