import assert from "node:assert/strict";
import { test } from "node:test";
import { testSubscriber, writeComment } from "@lodge/contract/calls.generated";
import { type DashboardClient, password, signedIn, twoOrganisations, visitor } from "../../testing/dashboard-client.ts";
import { movableClock } from "../../testing/movable-clock.ts";
import { startMailServer } from "../../testing/start-mail-server.ts";
import { startService, withWorker } from "../../testing/start-service.ts";
import { subscribe } from "../../testing/subscribe.ts";
import { sendNotices } from "../notifications/send-notices.ts";
import { mailPasswordLink } from "../organisations/lose-password.ts";

/** Retries while the server refuses requests because too many are waiting. */
async function patiently<Answer extends { status: number }>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
  }
}

const from = { ...withWorker, LODGE_MAIL_FROM: "Lodge <lodge@lodge.test>" };

test("an organisation e-mails an unverified address three times a day at most, even with concurrent requests", async () => {
  await using mail = await startMailServer();
  const clock = movableClock();
  await using lodge = await startService({ ...from, LODGE_SMTP_URL: mail.url }, { clock });
  await twoOrganisations(lodge);
  const admins = [await signedIn(lodge, "ada@acme.test"), await signedIn(lodge, "grace@acme.test")];
  const invite = (index: number, email = "Stranger@else.test") =>
    patiently(() => (admins[index % 2] as DashboardClient)("POST", "/invitations", { email, role: "member" }));
  const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => invite(index)));
  const statuses = answers.map((answer) => answer.status);
  assert.deepEqual(statuses.sort(), [201, 201, 201, 429, 429, 429, 429, 429]);
  const refused = await invite(0);
  assert.deepEqual([refused.status, refused.body.error], [429, "rate_limit_exceeded"]);
  assert.match(String(refused.body.message), /3 e-mails today\. Try again after midnight UTC, or send the link/);
  const seconds = Number(refused.headers.get("retry-after"));
  assert.ok(seconds > 0 && seconds <= 86_400, `${seconds}`);
  assert.equal((await invite(0, "another@else.test")).status, 201);
  const eve = await signedIn(lodge, "eve@umbra.test");
  assert.equal((await eve("POST", "/invitations", { email: "stranger@else.test", role: "member" })).status, 201);
  await lodge.deps.db
    .updateTable("users")
    .set({ email_verified_at: new Date() })
    .where("name", "=", "Eve Umbra")
    .execute();
  const ofVerified = await Promise.all(Array.from({ length: 22 }, (_, index) => invite(index, "eve@umbra.test")));
  assert.equal(
    ofVerified.filter((answer) => answer.status === 201).length,
    20,
    "a verified address of another organisation is limited too",
  );
  clock.move(86_400_000);
  assert.equal((await invite(0)).status, 201, "the limit resets the next day");
});

test("an organisation sends at most fifty e-mails a day to unverified addresses", async () => {
  await using mail = await startMailServer();
  await using lodge = await startService({ ...from, LODGE_SMTP_URL: mail.url });
  await twoOrganisations(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const answers = await Promise.all(
    Array.from({ length: 54 }, (_, index) =>
      patiently(() => ada("POST", "/invitations", { email: `stranger-${index}@else.test`, role: "member" })),
    ),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 50);
  assert.equal(answers.filter(({ status }) => status === 429).length, 4);
});

test("nothing is counted if e-mail is not set up", async () => {
  await using lodge = await startService();
  await twoOrganisations(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  for (let times = 0; times < 5; times++) {
    assert.equal((await ada("POST", "/invitations", { email: "new@else.test", role: "member" })).status, 201);
  }
});

test("stored names with line breaks cannot change the subject, headers or body of an e-mail", async () => {
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

// There is no worker, so that queued e-mails can be counted. Test e-mails are not queued: they contact the mail server,
// which is unreachable.
const nobody = { LODGE_SMTP_URL: "smtp://127.0.0.1:9", LODGE_MAIL_FROM: "lodge@lodge.test" };

test("making an account for a stranger's address does not bypass the limit", async () => {
  const clock = movableClock();
  await using lodge = await startService(nobody, { clock });
  const email = "victim@else.test";
  const { appId } = await subscribe(lodge, [], {
    members: [{ email: "ada@acme.test", name: "Ada", role: "owner", password }],
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Board", columns: ["Backlog"] }] }],
  });
  const ada = await signedIn(lodge, "ada@acme.test");
  const { url } = (await ada("POST", "/invitations", { email, role: "admin" })).body;
  const path = `/invitation-links/${`${url}`.split("/").at(-1)}`;
  const squatter = visitor(lodge);
  assert.equal((await squatter("POST", path, { name: "Victim", password })).status, 200);

  const { pool } = lodge.deps;
  const mailsTo = async () => {
    const { rows } = await pool.query<{ text: string }>(
      `select payload->>'text' as text from _private_jobs job join _private_tasks task on task.id = task_id
       where identifier = 'send_mail' and payload->>'to' = $1 order by job.id`,
      [email],
    );
    return rows.map(({ text }) => text);
  };
  assert.equal((await mailsTo()).length, 1, "the invitation");

  const body = { kind: "email" as const, url: `mailto:${email}` };
  assert.equal((await ada.call(testSubscriber, { params: { appId }, body })).status, null);
  const board = (await ada("GET", "/projects")).body as unknown as { projects: { boards: { id: string }[] }[] };
  const boardId = board.projects[0]?.boards[0]?.id;
  const { columns } = (await ada("GET", `/boards/${boardId}`)).body as unknown as { columns: { id: string }[] };
  const made = await squatter("POST", "/tickets", { title: "t", columnId: columns[0]?.id });
  const ticketId = (made.body.ticket as { id: string } | undefined)?.id ?? `${made.body.id}`;
  await squatter("PATCH", "/notices/choices", { mail: ["commented"] });
  for (let day = 1; day <= 2; day++) {
    for (let times = 0; times < 5; times++) {
      await ada.call(writeComment, { params: { ticketId }, body: { text: "Read this", mentionedUserIds: [] } });
      clock.move(61_000);
      await sendNotices(lodge.deps);
    }
    const texts = await mailsTo();
    // The limit is three e-mails a day. On the first day these include a test, which is not queued.
    assert.equal(texts.length, day === 1 ? 2 : 5);
    assert.match(`${texts.at(-1)}`, /This address is not verified yet/);
    const refused = await ada("POST", `/apps/${appId}/subscribers/test`, body);
    assert.deepEqual([refused.status, refused.body.error], [429, "rate_limit_exceeded"]);
    clock.move(86_400_000);
  }

  const before = (await mailsTo()).length;
  for (let times = 0; times < 5; times++) {
    await mailPasswordLink(lodge.deps, { email });
    clock.move(61_000);
  }
  const links = (await mailsTo()).slice(before);
  assert.equal(links.length, 3, "the limit applies whoever requests the links");
  const newest = /\/passwords\/([0-9A-Za-z]{43})/.exec(`${links.at(-1)}`)?.[1];
  assert.equal((await visitor(lodge)("POST", `/password-links/${newest}`, { password })).status, 200);
});

test("an organisation tests subscribers at most thirty times a minute", async () => {
  await using lodge = await startService();
  const members = [{ email: "ada@acme.test", name: "Ada", role: "owner" as const, password }];
  const { appId } = await subscribe(lodge, [], { members });
  const ada = await signedIn(lodge, "ada@acme.test");
  const body = { kind: "webhook", url: "http://127.0.0.1:9/" };
  const answers = await Promise.all(
    Array.from({ length: 32 }, () => patiently(() => ada("POST", `/apps/${appId}/subscribers/test`, body))),
  );
  assert.equal(answers.filter(({ status }) => status === 429).length, 2);
});
