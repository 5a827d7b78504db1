import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import {
  changePassword,
  changeProfile,
  createOrganisation,
  endOtherSessions,
  endSession,
  getSession,
  listMembers,
  listSessions,
  switchOrganisation,
} from "@lodge/contract/calls.generated";
import { password, signedIn, twoOrganisations, visitor } from "../../testing/dashboard-client.ts";
import { startService } from "../../testing/start-service.ts";

const lodge = await startService();
after(() => lodge[Symbol.asyncDispose]());
await twoOrganisations(lodge);

test("changing a name does not change the history", async () => {
  const mel = await signedIn(lodge, "mel@acme.test");
  const session = await mel.call(changeProfile, { body: { name: "Melanie" } });
  assert.deepEqual([session.user.name, session.user.email], ["Melanie", "mel@acme.test"]);
  assert.ok((await mel.call(listMembers)).members.some(({ name }) => name === "Melanie"));
  for (const name of ["", "\u200b", "x".repeat(81), null]) {
    assert.equal((await mel("PATCH", "/profile", { name })).body.error, "invalid_input");
  }
});

test("a person who knows their password can change it, which ends their other sessions", async () => {
  const grace = await signedIn(lodge, "grace@acme.test");
  const elsewhere = await signedIn(lodge, "grace@acme.test");
  const wanted = "another good password";
  const wrong = await grace("POST", "/profile/password", { currentPassword: "wrong", password: wanted });
  assert.deepEqual([wrong.status, wrong.body.error], [401, "wrong_credentials"]);
  const changed = await grace("POST", "/profile/password", { currentPassword: password, password: wanted });
  assert.equal(changed.status, 200, changed.text);
  assert.equal((await grace("GET", "/projects")).status, 200, "the response sets the cookie of the new session");
  assert.equal((await elsewhere("GET", "/projects")).body.error, "not_signed_in");
  const signIn = (attempt: string) =>
    visitor(lodge)("POST", "/session", { email: "grace@acme.test", password: attempt });
  assert.equal((await signIn(password)).body.error, "wrong_credentials");
  assert.equal((await signIn(wanted)).status, 200);

  const another = await signedIn(lodge, "grace@acme.test");
  assert.equal((await grace("POST", "/profile/password", { currentPassword: wanted, password: wanted })).status, 200);
  assert.equal((await another("GET", "/projects")).body.error, "not_signed_in", "even if the password stays the same");
});

test("a person who changes their password stays in the current organisation", async () => {
  await lodge.apply({
    organisation: { name: "Third", slug: "third" },
    members: [
      { email: "eve@umbra.test", name: "Eve Umbra", role: "member" },
      { email: "tom@third.test", name: "Tom", role: "owner" },
    ],
  });
  const eve = await signedIn(lodge, "eve@umbra.test");
  const { organisations } = await eve.call(getSession);
  for (const { id: organisationId } of organisations) {
    await eve.call(switchOrganisation, { body: { organisationId } });
    const changed = await eve.call(changePassword, { body: { currentPassword: password, password } });
    assert.equal(changed.organisation?.id, organisationId);
  }
  assert.equal(organisations.length, 2);
});

test("a person lists their sessions, and ends one or all others", async () => {
  const [here, there] = [await signedIn(lodge, "ada@acme.test"), await signedIn(lodge, "ada@acme.test")];
  const other = await signedIn(lodge, "mel@acme.test");
  const [sessions, others] = [await here.call(listSessions), await other.call(listSessions)];
  assert.deepEqual(
    sessions.sessions.map(({ isThis }) => isThis),
    [false, true],
  );
  const [otherId = ""] = others.sessions.map(({ id }) => id);
  assert.ok(sessions.sessions.every(({ id }) => id !== otherId));
  for (const id of [otherId, randomUUID(), "not-an-id"]) {
    assert.equal((await here("DELETE", `/sessions/${id}`)).body.error, "session_not_found");
  }
  await here.call(endSession, { params: { sessionId: sessions.sessions[0]?.id ?? "" } });
  assert.equal((await there("GET", "/projects")).status, 401);
  const elsewhere = await signedIn(lodge, "ada@acme.test");
  await here.call(endOtherSessions);
  const statuses = await Promise.all(
    [here, elsewhere, other].map(async (client) => (await client("GET", "/projects")).status),
  );
  assert.deepEqual(statuses, [200, 401, 200]);
});

test("a person creates organisations, and becomes their owner", async () => {
  const mel = await signedIn(lodge, "mel@acme.test");
  const session = await mel.call(createOrganisation, { body: { name: "Acme" } });
  assert.deepEqual([session.organisation?.slug, session.organisation?.role], ["acme-2", "owner"]);
  const { members } = await mel.call(listMembers);
  assert.deepEqual(
    members.map(({ isAgent, role }) => [isAgent, role]),
    [
      [true, "member"],
      [false, "owner"],
    ],
  );
  const more = Array.from({ length: 19 }, () => mel("POST", "/organisations", { name: "More" }));
  assert.ok((await Promise.all(more)).every(({ status }) => status === 201));
  assert.equal((await mel("POST", "/organisations", { name: "More" })).body.error, "too_many");
});
