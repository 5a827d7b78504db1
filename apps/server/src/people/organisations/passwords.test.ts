import assert from "node:assert/strict";
import { test } from "node:test";
import { begin } from "../../testing/begin.ts";
import { password, signedIn, twoOrganisations, visitor } from "../../testing/dashboard-client.ts";
import { freePort } from "../../testing/free-port.ts";
import { logIntoMemory } from "../../testing/log-into-memory.ts";
import { movableClock } from "../../testing/movable-clock.ts";
import { startMailServer } from "../../testing/start-mail-server.ts";
import { startService, withWorker } from "../../testing/start-service.ts";
import { until } from "../../testing/until.ts";
import { untilWaiting } from "../../testing/until-waiting.ts";

const from = { ...withWorker, LODGE_MAIL_FROM: "lodge@lodge.test" };
const newPassword = "a new and long enough password";

/** The secret at the end of the one link in a message. */
function secretIn(message = ""): string {
  const [, secret] =
    /\/(?:passwords|invitations)\/([0-9A-Za-z]{43})\n/.exec(message.replaceAll("\r\n", "\n").replaceAll("=\n", "")) ??
    [];
  assert.ok(secret, message);
  return secret;
}

test("invitations and password links are sent by e-mail, and do not reveal who has an account", async () => {
  await using mail = await startMailServer();
  const clock = movableClock();
  await using lodge = await startService(
    { ...withWorker, LODGE_SMTP_URL: mail.url, LODGE_MAIL_FROM: "Lodge <lodge@lodge.test>" },
    { clock },
  );
  await twoOrganisations(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const invited = await ada("POST", "/invitations", { email: "new@acme.test", role: "member" });
  assert.equal(invited.body.isMailed, true);
  const [invitation = ""] = await mail.until(1);
  assert.match(invitation, /^From: Lodge <lodge@lodge\.test>\r?$/m);
  assert.match(invitation, /^To: new@acme\.test\r?$/m);
  assert.match(invitation, /^Subject: Ada Acme invites you to Acme on Lodge\r?$/m);
  assert.ok(!`${invited.body.url}`.endsWith(secretIn(invitation)), "the inviter never sees the mailed link");
  assert.equal((await visitor(lodge)("GET", `/invitation-links/${secretIn(invitation)}`)).status, 200);

  const client = visitor(lodge);
  const ask = (email: string) => client("POST", "/password-links", { email });
  const known = await ask("Mel@ACME.test");
  for (const email of ["nobody@acme.test", "agent@acme.lodge.invalid"]) {
    const unknown = await ask(email);
    assert.deepEqual([unknown.status, unknown.text], [known.status, known.text]);
  }
  assert.equal((await ask("mel@acme.test")).status, 204, "a second request within a minute sends no message");
  const [, message = ""] = await mail.until(2);
  assert.match(message, /^To: mel@acme\.test\r?$/m);
  const mel = await signedIn(lodge, "mel@acme.test");
  const path = `/password-links/${secretIn(message)}`;
  assert.deepEqual((await client("GET", path)).body, { email: "mel@acme.test", verifiesAddress: true });
  for (const weak of ["short", "password1234"]) {
    assert.equal((await client("POST", path, { password: weak })).body.error, "invalid_input", "the link still works");
  }
  assert.equal((await client("POST", path, { password: newPassword })).status, 200);
  assert.equal((await client("GET", "/session")).status, 200, "signed in");
  assert.equal((await mel("GET", "/session")).status, 401, "sessions opened with the old password are ended");
  assert.equal((await client("POST", path, { password: newPassword })).body.error, "password_link_not_found");
  assert.equal(
    (await visitor(lodge)("POST", "/session", { email: "mel@acme.test", password: newPassword })).status,
    200,
  );

  clock.move(61_000);
  assert.equal((await ask("grace@acme.test")).status, 204);
  const messages = await mail.until(3);
  assert.equal(messages.length, 3, "the other requests sent no message");
  clock.move(24 * 3_600_000);
  assert.equal(
    (await client("GET", `/password-links/${secretIn(messages[2])}`)).status,
    404,
    "links expire after a day",
  );
});

test("two simultaneous requests for a link send one link, which works", async () => {
  await using mail = await startMailServer();
  await using lodge = await startService({ ...from, LODGE_SMTP_URL: mail.url });
  await twoOrganisations(lodge);
  const client = await lodge.deps.pool.connect();
  await client.query(`${begin}; lock table password_links in exclusive mode`);
  for (const _ of [1, 2]) await visitor(lodge)("POST", "/password-links", { email: "mel@acme.test" });
  await untilWaiting(lodge.deps.pool, 2);
  await client.query("commit");
  client.release();
  const due = "select from graphile_worker.jobs where run_at <= now()";
  await until(async () => (await lodge.deps.pool.query(due)).rows.length === 0);
  const messages = await mail.until(1);
  assert.equal(messages.length, 1);
  assert.equal((await visitor(lodge)("GET", `/password-links/${secretIn(messages[0])}`)).status, 200);
});

test("a removed person who lost their password can return by an invitation", async () => {
  await using mail = await startMailServer();
  await using lodge = await startService({
    ...withWorker,
    LODGE_SMTP_URL: mail.url,
    LODGE_MAIL_FROM: "lodge@lodge.test",
  });
  const { acme } = await twoOrganisations(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  assert.equal((await ada("DELETE", `/members/${acme.members[2]?.id}`)).status, 204);
  const { body } = await ada("POST", "/invitations", { email: "mel@acme.test", role: "member" });
  const link = `/invitation-links/${`${body.url}`.split("/").at(-1)}`;
  const mel = visitor(lodge);
  assert.equal((await mel("POST", link, { name: "Mel", password })).body.error, "not_signed_in");
  await mel("POST", "/password-links", { email: "mel@acme.test" });
  const messages = await mail.until(2);
  const path = messages.find((message) => message.includes("/passwords/"));
  assert.equal((await mel("POST", `/password-links/${secretIn(path)}`, { password: newPassword })).status, 200);
  assert.equal((await mel("POST", link, {})).status, 200);
});

test("without e-mail an owner or admin makes the link, for the members that their role allows", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const [ada = "", grace = "", mel = ""] = acme.members.map(({ id }) => id);
  const client = visitor(lodge);
  assert.equal((await client("GET", "/setup")).body.sendsMail, false);
  assert.equal((await client("POST", "/password-links", { email: "mel@acme.test" })).body.error, "mail_not_set_up");

  const owner = await signedIn(lodge, "ada@acme.test");
  const admin = await signedIn(lodge, "grace@acme.test");
  const member = await signedIn(lodge, "mel@acme.test");
  const stranger = await signedIn(lodge, "eve@umbra.test");
  const make = async (by: typeof owner, userId: string) => {
    const { status, body } = await by("POST", `/members/${userId}/password-link`);
    return status === 201 ? `${body.url}` : body.error;
  };
  assert.equal(await make(member, mel), "forbidden");
  assert.equal(await make(admin, ada), "forbidden");
  assert.equal(await make(admin, grace), "forbidden");
  assert.equal(await make(stranger, mel), "member_not_found");
  assert.equal(await make(owner, acme.organisation.agentUserId), "agent_is_fixed");
  const first = `${await make(admin, mel)}`;
  const second = `${await make(owner, mel)}`;
  const read = async (url: string) => (await client("GET", `/password-links/${url.split("/").at(-1)}`)).status;
  assert.deepEqual([await read(first), await read(second)], [404, 200], "a newer link replaces the earlier one");
  const uses = await Promise.all(
    [1, 2].map(() => visitor(lodge)("POST", `/password-links/${second.split("/").at(-1)}`, { password: newPassword })),
  );
  assert.deepEqual(uses.map(({ status }) => status).sort(), [200, 404]);

  await lodge.apply({
    organisation: { name: "Umbra", slug: "umbra" },
    members: [{ email: "mel@acme.test", name: "Mel Acme", role: "member" }],
  });
  assert.equal(await make(owner, mel), "member_elsewhere");
});

test("a link works only while its maker may still make one for the member", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const [, grace = "", mel = ""] = acme.members.map(({ id }) => id);
  const owner = await signedIn(lodge, "ada@acme.test");
  const admin = await signedIn(lodge, "grace@acme.test");
  const make = async (by: typeof owner, userId: string) => {
    const { body } = await by("POST", `/members/${userId}/password-link`);
    return `/password-links/${`${body.url}`.split("/").at(-1)}`;
  };
  const use = async (path: string) => {
    const { status } = await visitor(lodge)("GET", path);
    const { status: used } = await visitor(lodge)("POST", path, { password: newPassword });
    assert.equal(status, used);
    return used;
  };
  const change = (userId: string, role: string) => owner("PATCH", `/members/${userId}`, { role });

  const ofAdmin = await make(admin, mel);
  await change(mel, "owner");
  assert.equal(await use(ofAdmin), 404, "the member has become an owner");
  await change(mel, "member");
  await change(grace, "member");
  assert.equal(await use(ofAdmin), 404, "the maker is no longer an admin");
  await change(grace, "owner");
  const ofRemoved = await make(admin, mel);
  await owner("DELETE", `/members/${grace}`);
  assert.equal(await use(ofRemoved), 404, "the maker was removed");
  const ofOwner = await make(owner, mel);
  const elsewhere = {
    organisation: { name: "Umbra", slug: "umbra" },
    members: [{ email: "mel@acme.test", name: "Mel Acme", role: "member" as const }],
  };
  await lodge.apply(elsewhere);
  assert.equal(await use(ofOwner), 404, "the member also belongs to another organisation");
  const eve = await signedIn(lodge, "eve@umbra.test");
  await eve("DELETE", `/members/${mel}`);
  assert.equal(await use(ofOwner), 200);
});

test("changing the password invalidates earlier links", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const owner = await signedIn(lodge, "ada@acme.test");
  const mel = await signedIn(lodge, "mel@acme.test");
  const { body } = await owner("POST", `/members/${acme.members[2]?.id}/password-link`);
  const path = `/password-links/${`${body.url}`.split("/").at(-1)}`;
  const wanted = { currentPassword: password, password: newPassword };
  assert.equal((await mel("POST", "/profile/password", wanted)).status, 200);
  assert.equal((await visitor(lodge)("POST", path, { password })).body.error, "password_link_not_found");
});

test("an e-mail that fails temporarily is sent later", async () => {
  const port = await freePort();
  await using lodge = await startService({ ...from, LODGE_SMTP_URL: `smtp://127.0.0.1:${port}` });
  await twoOrganisations(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  await ada("POST", "/invitations", { email: "later@acme.test", role: "member" });
  await until(async () => {
    const { rows } = await lodge.deps.pool.query("select from graphile_worker.jobs where last_error is not null");
    return rows.length > 0;
  });
  await using mail = await startMailServer({ port });
  const [message] = await mail.until(1);
  assert.match(message ?? "", /^To: later@acme\.test\r?$/m);
});

test("an e-mail that the server permanently refuses is given up, and the log says so", async () => {
  await using mail = await startMailServer({ bytesMax: 100 });
  const { log, lines } = logIntoMemory();
  await using lodge = await startService({ ...from, LODGE_SMTP_URL: mail.url }, { log });
  await twoOrganisations(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  await ada("POST", "/invitations", { email: "never@acme.test", role: "member" });
  const told = () => lines().find(({ msg }) => msg === "an e-mail was not sent");
  await until(() => told() !== undefined);
  assert.equal(told()?.outcome, "refused");
  assert.ok(!JSON.stringify(lines()).includes("/invitations/"), "the log contains no link");
  await until(async () => (await lodge.deps.pool.query("select from graphile_worker.jobs")).rows.length === 0);
});
