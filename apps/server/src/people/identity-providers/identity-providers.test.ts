import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, test } from "node:test";
import {
  beginProviderSignIn,
  getIdentityProvider,
  removeIdentityProvider,
  setIdentityProvider,
} from "@lodge/contract/calls.generated";
import type { World } from "@lodge/contract/world";
import { seal, sealingKeys } from "../../platform/config/seal.ts";
import { type DashboardClient, signedIn, visitor } from "../../testing/dashboard-client.ts";
import { dumpDatabase } from "../../testing/dump-database.ts";
import { startLyingProvider } from "../../testing/start-lying-provider.ts";
import { startOpenIdProvider } from "../../testing/start-openid-provider.ts";
import { startService } from "../../testing/start-service.ts";

let now = new Date();
const clock = { now: () => now };
const resolveHost = async () => [{ address: "10.0.0.1", family: 4 }];
const started = new AsyncDisposableStack();
after(() => started.disposeAsync());
const lodge = started.use(await startService({ LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1" }, { clock, resolveHost }));
const real = started.use(await startOpenIdProvider(`${lodge.url}/sign-in/acme`));

const liar = started.use(await startLyingProvider());
const { says } = liar;
const otherKeys = generateKeyPairSync("ec", { namedCurve: "P-256" });

const tokens = new Map<string, string>();
for (const [slug, people] of [
  ["acme", { ada: "owner", mel: "member" }],
  ["liars", { liv: "owner", max: "member" }],
  ["other", { eve: "owner" }],
] as const) {
  const made = await lodge.apply({
    organisation: { name: slug, slug },
    members: Object.entries(people).map(([name, role]) => ({ email: `${name}@${slug}.test`, name, role })),
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
    tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
  });
  tokens.set(slug, made.tokens[0]?.secret ?? "");
}
const common = {
  clientId: "lodge",
  clientSecret: "the secret of this client",
  roleClaim: "roles",
  roles: { owner: ["boss"], admin: ["it"], member: ["staff"] },
  defaultRole: null,
  isRequired: false,
};
const ada = await signedIn(lodge, "ada@acme.test");
const liv = await signedIn(lodge, "liv@liars.test");
const atAcme = { ...common, issuer: real.issuer, domains: ["acme.test"] };
const atLiars = { ...common, issuer: liar.url, domains: ["liars.test", "other.test"] };

/** Starts a sign-in at an organisation, a minute after the previous one. */
async function begin(slug: string, client = visitor(lodge)) {
  now = new Date(now.getTime() + 60_000);
  const { url } = await client.call(beginProviderSignIn, { params: { slug } });
  return { client, url, asked: new URL(url).searchParams };
}

const finish = async (client: DashboardClient, slug: string, answer: string) => {
  const { status, body } = await client("POST", `/provider-sign-ins/${slug}/completion`, { answer });
  return { client, status, body, said: status === 200 ? "in" : body.error };
};

/** Signs in with the real provider, using this account. */
async function signInAs(account: string) {
  real.signsIn(account);
  const { client, url } = await begin("acme");
  return finish(client, "acme", await real.follow(url));
}

/** Signs in with the fake provider, which makes these claims. */
async function signInWith(claims: Record<string, unknown>) {
  const { client, asked } = await begin("liars");
  const seconds = Math.floor(Date.now() / 1000);
  const usual = {
    iss: liar.url,
    aud: "lodge",
    iat: seconds,
    exp: seconds + 60,
    nonce: asked.get("nonce"),
    roles: ["staff"],
  };
  says.claims = { ...usual, ...claims };
  return finish(client, "liars", `?code=x&state=${asked.get("state")}`);
}

const roleAt = async (email: string, slug = "acme") => {
  const { rows } = await lodge.deps.pool.query(
    `select role from members join users on users.id = user_id join organisations on organisations.id = organisation_id
     where email = $1 and slug = $2`,
    [email, slug],
  );
  return rows[0]?.role;
};

test("an owner sets a provider, and people who sign in with it get the role of their claims each time", async () => {
  const mel = await signedIn(lodge, "mel@acme.test");
  assert.equal((await mel("POST", "/identity-provider", atAcme)).body.error, "forbidden");
  const shown = await ada.call(getIdentityProvider);
  assert.deepEqual(shown, {
    provider: null,
    redirectUri: `${lodge.url}/sign-in/acme`,
    signInUrl: `${lodge.url}/sign-in/acme`,
  });
  const { clientSecret, ...rest } = atAcme;
  assert.equal((await ada("POST", "/identity-provider", rest)).body.error, "invalid_input", "a secret is required");
  const set = await ada.call(setIdentityProvider, { body: atAcme });
  assert.deepEqual(set.provider, rest);
  await ada.call(setIdentityProvider, { body: rest }); // keeps the stored secret
  const dump = JSON.stringify(await dumpDatabase(lodge.deps.pool));
  assert.ok(!dump.includes(clientSecret) && !dump.includes(Buffer.from(clientSecret).toString("hex")));

  real.accounts.set("1", { email: "Nia@acme.test", email_verified: true, name: "Nia New", roles: ["staff", "it"] });
  await ada("POST", "/invitations", { email: "nia@acme.test", role: "member" });
  real.signsIn("1");
  const { client: nia, url, asked } = await begin("acme");
  assert.deepEqual([asked.get("code_challenge_method"), asked.get("scope")], ["S256", "openid email profile"]);
  const answer = await real.follow(url);
  const first = await finish(nia, "acme", answer);
  assert.equal(first.said, "in");
  const { organisation, isByProvider, user } = first.body as {
    organisation: object;
    isByProvider: boolean;
    user: object;
  };
  assert.partialDeepStrictEqual(
    [organisation, user],
    [
      { slug: "acme", role: "admin" },
      { name: "Nia New", email: "nia@acme.test" },
    ],
  );
  assert.equal(isByProvider, true);
  assert.equal((await nia("GET", "/members")).status, 200);
  assert.deepEqual((await ada("GET", "/invitations")).body, { invitations: [] }, "the invitation is no longer needed");
  const again = await finish(nia, "acme", answer);
  assert.deepEqual([again.status, again.said], [401, "provider_refused"], "the browser has no sign-in in progress");
  for (const [method, path, body] of [
    ["GET", "/sessions"],
    ["POST", "/organisations", { name: "Mine" }],
    ["PATCH", "/profile", { name: "x" }],
  ] as const) {
    assert.equal((await nia(method, path, body)).body.error, "signed_in_by_provider", path);
  }

  real.accounts.set("1", { email: "nia@acme.test", email_verified: true, name: "Nia Newer", roles: ["staff"] });
  assert.equal((await signInAs("1")).said, "in");
  assert.equal(await roleAt("nia@acme.test"), "member");
  assert.equal((await nia("GET", "/tokens")).body.error, "forbidden", "the new role applies to every session");
  real.accounts.set("1", { email: "nia@acme.test", email_verified: true, roles: ["guest"] });
  assert.equal((await signInAs("1")).said, "no_role");

  const { rows } = await lodge.deps.pool.query(
    "select kind, details from audit_entries where kind ~ 'identity|member.[jc]' order by id",
  );
  assert.deepEqual(
    rows.map(({ kind, details }) => [kind, details.userName]),
    [
      ["identity_provider.set", "ada"],
      ["identity_provider.set", "ada"],
      ["member.joined", "Nia New"],
      ["member.changed", "Nia Newer"],
    ],
  );
  assert.ok(!JSON.stringify(rows).includes(clientSecret));
});

test("a provider's session ends after a day, however often it is used", async () => {
  real.accounts.set("2", { email: "mel@acme.test", email_verified: true, roles: ["staff"] });
  const { client } = await signInAs("2");
  const end = async () =>
    (
      await lodge.deps.pool.query(
        "select max(expires_at) as at from sessions where provider_organisation_id is not null",
      )
    ).rows[0].at;
  const before = await end();
  assert.equal((await client("GET", "/session")).status, 200);
  assert.deepEqual([await end(), before.getTime()], [before, now.getTime() + 86_400_000]);
});

test("the last owner keeps the role whatever the claims say; one of two owners is demoted", async () => {
  real.accounts.set("3", { email: "ada@acme.test", email_verified: true, roles: ["staff"] });
  assert.equal((await signInAs("3")).said, "in");
  assert.equal(await roleAt("ada@acme.test"), "owner");
  real.accounts.set("4", { email: "olga@acme.test", email_verified: true, roles: ["boss"] });
  assert.equal((await signInAs("4")).said, "in");
  assert.equal((await signInAs("3")).said, "in");
  assert.deepEqual([await roleAt("ada@acme.test"), await roleAt("olga@acme.test")], ["member", "owner"]);
  await lodge.deps.pool.query(
    "update members set role = 'owner' where user_id = (select id from users where email = 'ada@acme.test')",
  );
});

test("an ID token of another sign-in, issuer, client, key or time is refused with a specific reason", async () => {
  await liv.call(setIdentityProvider, { body: atLiars });
  const max = { sub: "max", email: "max@liars.test", email_verified: true };
  const refused = async (claims: Record<string, unknown>) => {
    const { status, said, body, client } = await signInWith({ ...max, ...claims });
    assert.deepEqual([status, said], [401, "provider_refused"]);
    assert.equal((await client("GET", "/session")).status, 401);
    return String(body.message).replace("The identity provider did not sign you in: ", "");
  };
  assert.equal(
    await refused({ nonce: "another" }),
    "its ID token does not belong to a sign-in of this browser. Try again.",
  );
  assert.equal(await refused({ iss: "https://id.example.test" }), "its ID token is from another issuer.");
  assert.equal(await refused({ aud: "another" }), "its ID token is for another client.");
  assert.equal(await refused({ aud: ["lodge", "another"] }), "its ID token is for another client.");
  assert.equal(await refused({ exp: Math.floor(Date.now() / 1000) - 60 }), "its ID token has expired.");
  says.key = otherKeys.privateKey;
  assert.equal(await refused({}), "its ID token is not signed with its keys.");
  says.key = liar.key;

  const { client, asked } = await begin("liars");
  const otherState = await finish(client, "liars", "?code=x&state=another");
  assert.match(String(otherState.body.message), /does not belong to the last sign-in/);
  const denied = await finish(
    client,
    "liars",
    `?error=access_denied&error_description=Not+you&state=${asked.get("state")}`,
  );
  assert.match(String(denied.body.message), /it says access_denied, Not you\.$/);
  const stranger = await finish(visitor(lodge), "liars", `?code=x&state=${asked.get("state")}`);
  assert.match(String(stranger.body.message), /has not started a sign-in/, "started in another browser");
  const elsewhere = await finish(client, "acme", `?code=x&state=${asked.get("state")}`);
  assert.match(String(elsewhere.body.message), /has not started a sign-in/, "started at another organisation");
  now = new Date(now.getTime() + 600_001);
  const late = await finish(client, "liars", `?code=x&state=${asked.get("state")}`);
  assert.match(String(late.body.message), /within the last ten minutes/);
  assert.equal((await signInWith(max)).said, "in", "a correct ID token is accepted");
});

test("a provider vouches only for its own domains, and gives access only to its own organisation", async () => {
  const said = async (claims: Record<string, unknown>) => (await signInWith({ sub: "x", ...claims })).said;
  assert.equal(await said({ email: "new@liars.test" }), "email_not_vouched_for", "the address is not verified");
  assert.equal(await said({ email: "new@liars.test", email_verified: "true" }), "email_not_vouched_for");
  assert.equal(await said({ email: "ada@acme.test", email_verified: true }), "email_not_vouched_for", "another domain");
  assert.equal(await said({ email_verified: true }), "email_not_vouched_for");
  const { rows } = await lodge.deps.pool.query(
    "select email from users join organisations on agent_user_id = users.id where slug = 'liars'",
  );
  await liv.call(setIdentityProvider, {
    body: { ...atLiars, domains: [...atLiars.domains, rows[0].email.split("@")[1]] },
  });
  assert.equal(await said({ email: rows[0].email, email_verified: true }), "email_not_vouched_for", "the agent");

  const asEve = { sub: "eve", email: "eve@other.test", email_verified: true, name: "Not Eve", roles: ["boss"] };
  const eve = await signedIn(lodge, "eve@other.test");
  const { client, body } = await signInWith(asEve);
  assert.deepEqual(
    (body.organisations as { slug: string }[]).map(({ slug }) => slug),
    ["liars"],
  );
  assert.partialDeepStrictEqual(body.user, { name: "Not Eve", email: "eve@other.test" }, "a separate account");
  assert.equal(((await eve("GET", "/session")).body.user as { name: string }).name, "eve");
  const other = await eve("GET", "/session");
  const organisations = other.body.organisations as { slug: string; id: string }[];
  const theirs = organisations.find(({ slug }) => slug === "other");
  const switched = await client("PATCH", "/session", { organisationId: theirs?.id });
  assert.equal(switched.body.error, "organisation_not_found");
  const ticket = await lodge.fileTicket(tokens.get("other"), { title: "Theirs" });
  assert.equal((await eve("GET", `/tickets/${ticket.body.id}/place`)).status, 200);
  assert.equal((await client("GET", `/tickets/${ticket.body.id}/place`)).body.error, "ticket_not_found");
  const third = await lodge.deps.pool.query("select id from organisations where slug = 'acme'");
  await assert.rejects(
    lodge.deps.pool.query(
      "update sessions set active_organisation_id = $1 where provider_organisation_id is not null",
      [third.rows[0].id],
    ),
    /sessions_within_provider/,
  );
});

test("a provider that is removed or changed during a sign-in opens no session", async () => {
  const max = { sub: "max", email: "max@liars.test", email_verified: true };
  const { rows } = await lodge.deps.pool.query("select id from organisations where slug = 'liars'");
  const sessions = async () =>
    (await lodge.deps.pool.query("select id from sessions where provider_organisation_id = $1", [rows[0].id])).rows;
  says.before = () => liv.call(removeIdentityProvider);
  assert.equal((await signInWith(max)).said, "provider_refused");
  assert.deepEqual(await sessions(), []);
  await liv.call(setIdentityProvider, { body: atLiars });
  says.before = async () => {
    now = new Date(now.getTime() + 1);
    await liv.call(setIdentityProvider, { body: { ...atLiars, roles: { ...atLiars.roles, member: ["crew"] } } });
  };
  assert.equal((await signInWith(max)).said, "provider_refused", "the sign-in started under the earlier settings");
  says.before = async () => {};
  await liv.call(setIdentityProvider, { body: atLiars });
  assert.equal((await signInWith(max)).said, "in");
});

test("with a required provider only owners can use passwords; without it, everybody can again", async () => {
  await ada.call(setIdentityProvider, { body: { ...atAcme, isRequired: true } });
  const mel = await signedIn(lodge, "mel@acme.test");
  assert.equal((await mel("GET", "/projects")).body.error, "provider_needed");
  assert.partialDeepStrictEqual((await mel("GET", "/session")).body, { needsProvider: true, isByProvider: false });
  assert.equal((await ada("GET", "/projects")).status, 200);
  const { client } = await signInAs("2");
  assert.equal((await client("GET", "/projects")).status, 200);
  await lodge.deps.pool.query("update organisations set requires_second_factor = true where slug = 'acme'");
  assert.equal((await client("GET", "/projects")).status, 200, "the provider is responsible for the second factor");
  assert.equal((await ada("GET", "/projects")).body.error, "second_factor_needed");
  await lodge.deps.pool.query("update organisations set requires_second_factor = false where slug = 'acme'");

  await ada.call(removeIdentityProvider);
  assert.equal((await client("GET", "/session")).status, 401, "sessions opened by the provider are ended");
  assert.equal((await mel("GET", "/projects")).status, 200);
  const begun = await visitor(lodge)("POST", "/provider-sign-ins/acme");
  assert.deepEqual([begun.status, begun.body.error], [404, "provider_not_found"]);
});

test("the server contacts a provider only at allowed addresses, and no provider can redirect our pages elsewhere", async () => {
  const set = async (changes: object) => {
    const { status, body } = await liv("POST", "/identity-provider", { ...atLiars, ...changes });
    return status === 200 ? "set" : `${body.error}: ${body.message}`;
  };
  assert.match(
    await set({ issuer: "https://id.example.test" }),
    /^provider_unreachable: .*10\.0\.0\.1, which is private/,
  );
  assert.match(await set({ issuer: "http://10.0.0.1" }), /must begin with https/);
  assert.match(await set({ issuer: "http://id.example.test" }), /must begin with https/);
  assert.match(await set({ issuer: "file:///etc/passwd" }), /must begin with https/);
  assert.match(await set({ issuer: `${liar.url}/elsewhere` }), /issuer/);
  const { clientSecret: _, ...without } = { ...atLiars, issuer: real.issuer };
  assert.equal(
    (await liv("POST", "/identity-provider", without)).body.error,
    "invalid_input",
    "a new issuer does not get the stored secret",
  );
  says.metadata = { authorization_endpoint: "javascript:alert(1)" };
  const led = await visitor(lodge)("POST", "/provider-sign-ins/liars");
  assert.deepEqual([led.status, led.body.error], [400, "provider_unreachable"]);
  says.metadata = {};
  const { rows } = await lodge.deps.pool.query("select id from organisations where slug = 'liars'");
  const sealed = seal(
    sealingKeys("the secret before this one"),
    "identity_providers.sealed_client_secret",
    rows[0].id,
    "x",
  );
  await lodge.deps.pool.query("update identity_providers set sealed_client_secret = $1", [sealed]);
  const unread = await visitor(lodge)("POST", "/provider-sign-ins/liars");
  assert.match(String(unread.body.message), /another LODGE_SECRET/);
  assert.equal(await set({}), "set");
});

test("a world file sets a provider, keeps its secret if omitted, changes nothing when reapplied, and removes it", async () => {
  const apply = (identityProvider: World["identityProvider"]) =>
    lodge.apply({
      organisation: { name: "acme", slug: "acme" },
      ...(identityProvider !== undefined && { identityProvider }),
    });
  const audit = async () => {
    const { rows } = await lodge.deps.pool.query(
      `select kind, details->>'userName' as by from audit_entries join organisations on organisations.id = organisation_id
       where slug = 'acme' and kind like 'identity_provider.%' order by audit_entries.id`,
    );
    return rows;
  };
  await apply(null);
  const before = await audit();
  await apply(null);
  const { clientSecret, ...rest } = atAcme;
  await assert.rejects(apply(rest), /\/identityProvider\/clientSecret is required/);
  await apply(atAcme);
  await apply(atAcme);
  await apply(rest);
  real.accounts.set("6", { email: "ines@acme.test", email_verified: true, name: "Ines", roles: ["it"] });
  const { client, said } = await signInAs("6");
  assert.equal(said, "in");
  await apply({ ...rest, isRequired: true });
  assert.equal((await client("GET", "/members")).status, 200, "sessions of the same client continue");
  assert.equal((await ada.call(getIdentityProvider)).provider?.isRequired, true);
  await apply(undefined);
  assert.equal((await ada.call(getIdentityProvider)).provider?.isRequired, true, "an omitted provider is kept");
  await assert.rejects(apply({ ...rest, clientId: "another" }), /clientSecret is required/);
  await apply({ ...atAcme, clientId: "another" });
  assert.equal((await client("GET", "/members")).status, 401, "a change of client ends its sessions");
  await apply(null);
  assert.equal((await ada.call(getIdentityProvider)).provider, null);
  assert.deepEqual(
    (await audit()).slice(before.length),
    ["set", "set", "set", "removed"].map((what) => ({ kind: `identity_provider.${what}`, by: "lodged apply" })),
  );
});
