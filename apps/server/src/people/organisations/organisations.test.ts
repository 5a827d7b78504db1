import assert from "node:assert/strict";
import { test } from "node:test";
import { begin } from "../../testing/begin.ts";
import { type DashboardClient, password, signedIn, twoOrganisations, visitor } from "../../testing/dashboard-client.ts";
import { makePatientDatabase, type Service, startService } from "../../testing/start-service.ts";
import { untilWaiting } from "../../testing/until-waiting.ts";

type Members = { members: { userId: string; name: string; role: string; isAgent: boolean }[] };
type Invited = { invitation: { id: string }; url: string };

const secretOf = (url: string) => url.slice(url.lastIndexOf("/") + 1);

async function inviteLink(client: DashboardClient, email: string, role = "member"): Promise<Invited> {
  const answer = await client("POST", "/invitations", { email, role });
  assert.equal(answer.status, 201, answer.text);
  return answer.body as Invited;
}

test("everybody can list the members; tokens are not among the people", async () => {
  await using lodge = await startService();
  await twoOrganisations(lodge);
  const mel = await signedIn(lodge, "mel@acme.test");
  const { members } = (await mel("GET", "/members")).body as Members;
  assert.deepEqual(
    members.map(({ name, role, isAgent }) => [name, role, isAgent]),
    [
      ["Ada Acme", "owner", false],
      ["Agent", "member", true],
      ["Grace Acme", "admin", false],
      ["Mel Acme", "member", false],
    ],
  );
  const { people } = (await mel("GET", "/people")).body as { people: { name: string }[] };
  assert.deepEqual(
    people.map(({ name }) => name),
    ["Ada Acme", "Agent", "Grace Acme", "Mel Acme"],
  );
});

test("members cannot change roles, admins cannot change owners' roles, and the last owner stays", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const [ada = "", grace = "", mel = ""] = acme.members.map(({ id }) => id);
  const owner = await signedIn(lodge, "ada@acme.test");
  const admin = await signedIn(lodge, "grace@acme.test");
  const member = await signedIn(lodge, "mel@acme.test");
  const change = async (client: DashboardClient, id: string, role: string) => {
    const { status, body } = await client("PATCH", `/members/${id}`, { role });
    return status === 200 ? body.role : body.error;
  };

  assert.equal(await change(member, mel, "admin"), "forbidden");
  assert.equal(await change(admin, mel, "owner"), "forbidden");
  assert.equal(await change(admin, ada, "member"), "forbidden");
  assert.equal(await change(owner, ada, "admin"), "last_owner");
  assert.equal(await change(owner, acme.organisation.agentUserId, "admin"), "agent_is_fixed");
  assert.equal((await owner("PATCH", `/members/${mel}`, { role: "king" })).body.error, "invalid_input");
  assert.equal(await change(admin, mel, "admin"), "admin");
  assert.equal((await member("GET", "/tokens")).status, 200, "the new role applies from the next request");
  assert.equal(await change(owner, grace, "owner"), "owner");
  assert.equal(await change(owner, ada, "member"), "member");
  assert.equal((await owner("GET", "/tokens")).status, 403, "a demoted owner loses access from the next request");
});

test("members can be removed and can leave, but one owner must stay", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const [ada = "", grace = "", mel = ""] = acme.members.map(({ id }) => id);
  const owner = await signedIn(lodge, "ada@acme.test");
  const admin = await signedIn(lodge, "grace@acme.test");
  const member = await signedIn(lodge, "mel@acme.test");
  const remove = async (client: DashboardClient, id: string) => {
    const { status, body } = await client("DELETE", `/members/${id}`);
    return status === 204 ? "removed" : body.error;
  };
  assert.equal(await remove(member, grace), "forbidden");
  assert.equal(await remove(admin, ada), "forbidden");
  assert.equal(await remove(owner, ada), "last_owner");
  assert.equal(await remove(owner, acme.organisation.agentUserId), "agent_is_fixed");
  assert.equal(await remove(member, mel), "removed");
  assert.equal(await remove(owner, mel), "member_not_found");
  assert.equal(await remove(admin, grace), "removed");
});

test("if two owners remove each other at the same time, one stays", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const [ada = "", grace = ""] = acme.members.map(({ id }) => id);
  const first = await signedIn(lodge, "ada@acme.test");
  await first("PATCH", `/members/${grace}`, { role: "owner" });
  const second = await signedIn(lodge, "grace@acme.test");
  const answers = await Promise.all([first("DELETE", `/members/${grace}`), second("DELETE", `/members/${ada}`)]);
  assert.equal(answers.filter(({ status }) => status === 204).length, 1, answers.map(({ text }) => text).join());
});

test("a new person accepts an invitation by its link", async () => {
  await using lodge = await startService();
  await twoOrganisations(lodge);
  const admin = await signedIn(lodge, "grace@acme.test");
  const { url } = await inviteLink(admin, "New@Example.test", "admin");
  assert.match(url, new RegExp(`^${lodge.url}/invitations/[0-9A-Za-z]{43}$`));
  const listed = (await admin("GET", "/invitations")).body as { invitations: Record<string, unknown>[] };
  assert.equal(listed.invitations.length, 1);
  assert.equal(listed.invitations[0]?.email, "new@example.test");
  assert.equal(listed.invitations[0]?.invitedBy, "Grace Acme");
  assert.doesNotMatch(JSON.stringify(listed), new RegExp(secretOf(url)));

  const link = `/invitation-links/${secretOf(url)}`;
  const guest = visitor(lodge);
  assert.deepEqual((await guest("GET", link)).body, {
    organisationName: "Acme",
    email: "new@example.test",
    role: "admin",
    signInPath: null,
    needsProvider: false,
  });
  const incomplete = await guest("POST", link, { name: "Nora" });
  assert.deepEqual(
    [incomplete.status, incomplete.body.details],
    [400, [{ path: "/password", message: "is required" }]],
  );
  const accepted = await guest("POST", link, { name: "Nora", password });
  assert.equal(accepted.status, 200, accepted.text);
  assert.equal((accepted.body.organisation as { role: string }).role, "admin");
  assert.equal((await guest("GET", "/tokens")).status, 200);

  assert.equal((await visitor(lodge)("GET", link)).body.error, "invitation_not_found", "an invitation works once");
  assert.equal((await visitor(lodge)("POST", link, { name: "X", password })).body.error, "invitation_not_found");
  assert.equal((await visitor(lodge)("POST", "/session", { email: "new@example.test", password })).status, 200);
  assert.deepEqual((await admin("GET", "/invitations")).body, { invitations: [] });
});

test("a person with an account signs in to accept an invitation, and then works in the new organisation", async () => {
  await using lodge = await startService();
  const { umbra } = await twoOrganisations(lodge);
  const eve = await signedIn(lodge, "eve@umbra.test");
  const { url } = await inviteLink(eve, "mel@acme.test");
  const link = `/invitation-links/${secretOf(url)}`;
  const stranger = await visitor(lodge)("POST", link, { name: "Mel", password: "a password of somebody else" });
  assert.deepEqual([stranger.status, stranger.body.error], [401, "not_signed_in"]);
  const other = await signedIn(lodge, "ada@acme.test");
  assert.equal((await other("POST", link, {})).body.error, "invited_somebody_else");

  const mel = await signedIn(lodge, "mel@acme.test");
  const accepted = await mel("POST", link, {});
  assert.equal((accepted.body.organisation as { id: string }).id, umbra.organisation.id, accepted.text);
  assert.equal((accepted.body.organisations as unknown[]).length, 2);
});

test("if two invitations of a new address are accepted at the same time, the first chooses the password", async () => {
  await using patient = await makePatientDatabase();
  await using lodge = await startService(patient.env, patient.overrides);
  await twoOrganisations(lodge);
  const links = await Promise.all(
    ["ada@acme.test", "eve@umbra.test"].map(async (email) => {
      const { url } = await inviteLink(await signedIn(lodge, email), "new@example.test");
      return `/invitation-links/${secretOf(url)}`;
    }),
  );
  const passwords = [password, "a password of somebody else"];
  const answers = await holdingBack(lodge, "new@example.test", () =>
    links.map((link, index) => visitor(lodge)("POST", link, { name: "New", password: passwords[index] })),
  );
  const accepted = answers.findIndex(({ status }) => status === 200);
  assert.deepEqual(answers.map(({ body }) => body.error).sort(), ["not_signed_in", undefined]);
  const signIn = async (attempt: string | undefined) =>
    (await visitor(lodge)("POST", "/session", { email: "new@example.test", password: attempt })).status;
  assert.deepEqual([await signIn(passwords[accepted]), await signIn(passwords[1 - accepted])], [200, 401]);
});

/** Sends requests that create a person with this address; all reach that point before any continues. */
async function holdingBack<T>({ deps }: Service, email: string, send: () => Promise<T>[]): Promise<T[]> {
  const client = await deps.pool.connect();
  try {
    await client.query(begin);
    await client.query("insert into users (name, email) values ('', $1)", [email]);
    const sent = send();
    await untilWaiting(deps.pool, sent.length);
    await client.query("rollback");
    return await Promise.all(sent);
  } finally {
    client.release();
  }
}

test("an invitation cannot take over the account of a member elsewhere who has no password", async () => {
  await using lodge = await startService();
  await twoOrganisations(lodge);
  await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    members: [{ email: "nopass@acme.test", name: "No Password", role: "owner" }],
  });
  const eve = await signedIn(lodge, "eve@umbra.test");
  const { url } = await inviteLink(eve, "nopass@acme.test");
  const taken = await visitor(lodge)("POST", `/invitation-links/${secretOf(url)}`, { name: "Eve", password });
  assert.deepEqual([taken.status, taken.body.error], [401, "not_signed_in"]);
  assert.equal((await visitor(lodge)("POST", "/session", { email: "nopass@acme.test", password })).status, 401);
});

test("an invitation ends when it is revoked, replaced or expired", async () => {
  let now = new Date();
  await using lodge = await startService({}, { clock: { now: () => now } });
  await twoOrganisations(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const isOpen = async ({ url }: Invited) =>
    (await visitor(lodge)("GET", `/invitation-links/${secretOf(url)}`)).status === 200;

  const revoked = await inviteLink(ada, "a@example.test");
  assert.equal((await ada("DELETE", `/invitations/${revoked.invitation.id}`)).status, 204);
  assert.equal((await ada("DELETE", `/invitations/${revoked.invitation.id}`)).body.error, "invitation_not_found");
  assert.equal(await isOpen(revoked), false);

  const replaced = await inviteLink(ada, "b@example.test");
  const current = await inviteLink(ada, "B@example.test");
  assert.deepEqual([await isOpen(replaced), await isOpen(current)], [false, true]);
  now = new Date(now.getTime() + 7 * 86_400_000);
  assert.equal(await isOpen(current), false);
});

test("an invitation grants only a role that its inviter may still grant when it is accepted", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const grace = acme.members[1]?.id ?? "";
  const ada = await signedIn(lodge, "ada@acme.test");
  const inviter = await signedIn(lodge, "grace@acme.test");
  const be = (role: string) => ada("PATCH", `/members/${grace}`, { role });
  await be("owner");
  const links = {
    owner: await inviteLink(inviter, "owner@example.test", "owner"),
    member: await inviteLink(inviter, "member@example.test"),
  };
  const accept = async (role: keyof typeof links) => {
    const client = visitor(lodge);
    return (await client("POST", `/invitation-links/${secretOf(links[role].url)}`, { name: "Back", password })).status;
  };
  const countInvitations = async () =>
    ((await ada("GET", "/invitations")).body.invitations as { email: string }[]).length;
  await be("admin");
  assert.deepEqual([await accept("owner"), await countInvitations()], [404, 1], "an admin cannot make an owner");
  assert.equal((await ada("DELETE", `/members/${grace}`)).status, 204);
  assert.deepEqual([await accept("owner"), await accept("member"), await countInvitations()], [404, 404, 0]);
  const again = await inviteLink(ada, "member@example.test");
  assert.equal((await visitor(lodge)("GET", `/invitation-links/${secretOf(again.url)}`)).status, 200);
});

test("each role can invite only certain roles", async () => {
  await using lodge = await startService();
  await twoOrganisations(lodge);
  const invite = async (email: string, invited: string, role: string) =>
    (await (await signedIn(lodge, email))("POST", "/invitations", { email: invited, role })).body.error;
  assert.equal(await invite("mel@acme.test", "x@example.test", "member"), "forbidden");
  assert.equal(await invite("grace@acme.test", "x@example.test", "owner"), "forbidden");
  assert.equal(await invite("ada@acme.test", "x@example.test", "owner"), undefined);
  assert.equal(await invite("ada@acme.test", "Mel@acme.test", "member"), "already_a_member");
  assert.equal(await invite("ada@acme.test", "not an address", "member"), "invalid_input");
  const mel = await signedIn(lodge, "mel@acme.test");
  assert.equal((await mel("GET", "/invitations")).status, 403);
  assert.equal((await mel("DELETE", "/invitations/00000000-0000-7000-8000-000000000000")).status, 403);
});
