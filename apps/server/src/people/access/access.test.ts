import assert from "node:assert/strict";
import { scryptSync } from "node:crypto";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { applyWorld } from "../../operate/provisioning/apply-world.ts";
import { begin } from "../../testing/begin.ts";
import { hashAtFullCost } from "../../testing/cheap-hashes.ts";
import { type DashboardClient, password, signedIn, twoOrganisations, visitor } from "../../testing/dashboard-client.ts";
import { movableClock } from "../../testing/movable-clock.ts";
import { slowTest } from "../../testing/slow-test.ts";
import { type Answer, makePatientDatabase, type Service, startService } from "../../testing/start-service.ts";
import { untilWaiting } from "../../testing/until-waiting.ts";
import { applyPassword } from "../organisations/apply-password.ts";
import { hashPassword } from "./password-hash.ts";
import { sweepSessions } from "./sweep-sessions.ts";

test("a person signs in, is recognised, and signs out", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const client = visitor(lodge);

  const unknown = await client("GET", "/session");
  assert.equal(unknown.status, 401);
  assert.equal(unknown.body.error, "not_signed_in");

  const answer = await client("POST", "/session", { email: "Ada@ACME.test", password });
  assert.equal(answer.status, 200, answer.text);
  const organisation = { id: acme.organisation.id, name: "Acme", slug: "acme", role: "owner" };
  const { livePosition, ...session } = answer.body;
  assert.match(String(livePosition), /^[\w.-]+$/);
  assert.deepEqual(session, {
    user: { id: acme.members[0]?.id, name: "Ada Acme", email: "ada@acme.test" },
    organisations: [organisation],
    organisation,
    needsProvider: false,
    needsSecondFactor: false,
    isByProvider: false,
  });
  const [cookie = ""] = answer.headers.getSetCookie();
  assert.match(cookie, /^lodge\.session_token=[^;]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  const { livePosition: _, ...again } = (await client("GET", "/session")).body;
  assert.deepEqual(again, session);

  const kept = new Map(client.cookies);
  assert.equal((await client("DELETE", "/session")).status, 204);
  assert.equal(client.cookies.size, 0);
  for (const [name, value] of kept) client.cookies.set(name, value);
  assert.equal((await client("GET", "/session")).status, 401, "the old cookie no longer works");
  assert.equal((await client("GET", "/members")).status, 401);
  assert.equal((await visitor(lodge)("DELETE", "/session")).status, 204);
});

test("a wrong password and an unknown person get the same refusal", async () => {
  await using lodge = await startService();
  await twoOrganisations(lodge);
  const client = visitor(lodge);
  const wrong = await client("POST", "/session", { email: "ada@acme.test", password: "not it, not it" });
  const unknown = await client("POST", "/session", { email: "nobody@acme.test", password });
  const agent = await client("POST", "/session", { email: "agent@acme.lodge.invalid", password });
  assert.deepEqual([wrong.status, unknown.status, agent.status], [401, 401, 401]);
  assert.equal(wrong.body.error, "wrong_credentials");
  assert.deepEqual(unknown.body, wrong.body);
  assert.deepEqual(agent.body, wrong.body);
  const common = await client("POST", "/session", { email: "nobody@acme.test", password: "1234567890" });
  assert.deepEqual([common.status, common.body], [401, wrong.body], "sign-in applies no password rules");
  assert.equal((await client("POST", "/session", { email: "ada", password })).body.error, "invalid_input");
  assert.equal((await client("POST", "/session", "not JSON")).body.error, "invalid_input");
});

/** Signs in from an address, through a proxy that the server trusts. */
const signInFrom = (lodge: Service, address: string, email: string, word = password) =>
  lodge.request("POST", "/api/dashboard/session", {
    headers: { "x-forwarded-for": address },
    body: { email, password: word },
  });
/** Asserts that a refusal asks to retry within the minute. */
function assertSoon({ headers }: Answer) {
  const seconds = Number(headers.get("retry-after"));
  assert.ok(seconds >= 1 && seconds <= 60, `Retry-After: ${headers.get("retry-after")}`);
}

const proxied = { LODGE_TRUSTED_PROXIES: "127.0.0.0/8" };

test("guesses from one address are limited across processes, and meanwhile the owner can sign in from elsewhere", async () => {
  let now = Date.now();
  const clock = { now: () => new Date(now) }; // stopped, so that slow guesses share a minute
  await using first = await startService(proxied, { clock });
  await twoOrganisations(first);
  await using second = await startService({ ...first.env, ...proxied }, { clock });
  for (let guess = 0; guess < 10; guess++) {
    const lodge = guess % 2 === 0 ? first : second;
    // One client can use every address of a /64.
    const { status } = await signInFrom(lodge, `2001:db8:1:2::${guess}`, "ada@acme.test", "wrong wrong");
    assert.equal(status, 401);
  }
  const refused = await signInFrom(second, "2001:db8:1:2:ffff::1", "Ada@acme.test");
  assert.equal(refused.status, 429);
  assert.equal(refused.body.error, "rate_limit_exceeded");
  assert.equal(refused.headers.get("retry-after"), "60");
  assert.equal((await signInFrom(first, "2001:db8:1:2::1", "mel@acme.test")).status, 200);
  assert.equal((await signInFrom(first, "2001:db8:1:3::1", "ada@acme.test")).status, 200);
  now += 60_000;
  assert.equal((await signInFrom(first, "2001:db8:1:2::1", "ada@acme.test")).status, 200);
});

test("guesses from many addresses share a limit, except the address that the owner has signed in from", async () => {
  const clock = movableClock();
  await using lodge = await startService(proxied, { clock });
  await twoOrganisations(lodge);
  assert.equal((await signInFrom(lodge, "192.0.2.1", "ada@acme.test")).status, 200);
  clock.move(60_000);
  const guess = (n: number) => signInFrom(lodge, `203.0.113.${n}`, "ada@acme.test", "wrong wrong");
  const guesses = await Promise.all(Array.from({ length: 25 }, (_, n) => guess(n)));
  assert.deepEqual(
    [401, 429].map((status) => guesses.filter((answer) => answer.status === status).length),
    [20, 5],
  );
  assert.equal(
    (await signInFrom(lodge, "203.0.113.200", "ada@acme.test")).status,
    429,
    "a correct password from an unknown address is limited too",
  );
  assert.equal((await signInFrom(lodge, "::ffff:192.0.2.1", "ada@acme.test")).status, 200);
  clock.move(90 * 86_400_000 + 1);
  await sweepSessions(lodge.deps);
  assert.deepEqual(await lodge.deps.db.selectFrom("known_addresses").select("address").execute(), []);
});

test("a request that one limit refuses does not count against the next", async () => {
  await using lodge = await startService(proxied);
  await twoOrganisations(lodge);
  for (let guess = 0; guess < 29; guess++) await signInFrom(lodge, "203.0.113.1", "ada@acme.test", "wrong wrong");
  assert.equal((await signInFrom(lodge, "203.0.113.2", "ada@acme.test")).status, 200);
});

test("attempts are limited by client address, which comes from the trusted proxy", async () => {
  await using lodge = await startService(proxied);
  const attempt = (address: string, account: number) => signInFrom(lodge, address, `nobody${account}@acme.test`);
  const ofOneNetwork = (n: number) => `2001:db8:5:6:${n.toString(16)}::1`;
  const statuses = await Promise.all(Array.from({ length: 31 }, (_, n) => attempt(ofOneNetwork(n), n)));
  assert.equal(statuses.filter(({ status }) => status === 429).length, 1);
  assert.equal((await attempt("203.0.113.8", 99)).status, 401);

  await twoOrganisations(lodge);
  const headers = { "x-forwarded-for": "203.0.113.9", "x-lodge-client-address": "198.51.100.1", "user-agent": "tests" };
  await lodge.request("POST", "/api/dashboard/session", { headers, body: { email: "ada@acme.test", password } });
  const session = await lodge.deps.db.selectFrom("sessions").select(["ip_address", "user_agent"]).executeTakeFirst();
  assert.deepEqual(session, { ip_address: "203.0.113.9", user_agent: "tests" });
});

test("a password hash costs 32 MB and 16,384 rounds of scrypt", async () => {
  using _dear = hashAtFullCost();
  const [salt = "", key] = (await hashPassword(password)).split(":");
  const parameters = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1_048_576 };
  assert.equal(key, scryptSync(password, salt, 64, parameters).toString("hex"));
});

slowTest("files are read while passwords wait to be hashed, and too many waiting ones are refused", async () => {
  using _dear = hashAtFullCost();
  await using lodge = await startService(proxied);
  let hashed = 0;
  const hashes = Array.from({ length: 12 }, () => hashPassword(password).then(() => hashed++));
  await Promise.race(hashes); // the hashing has started
  await readFile(import.meta.filename);
  assert.ok(hashed < 12, `a file waited for all ${hashed} hashes`);
  await Promise.all(hashes);

  const attempts = await Promise.all(
    Array.from({ length: 150 }, (_, n) => signInFrom(lodge, `198.51.100.${n}`, `nobody${n}@acme.test`)),
  );
  const refused = attempts.filter(({ status }) => status === 429);
  assert.ok(refused.length > 0 && refused.length <= 84, `${refused.length} of 150 were refused`);
  assert.equal(refused[0]?.headers.get("retry-after"), "1");
  assert.equal(attempts.filter(({ status }) => status === 401).length, 150 - refused.length);
});

test("setting up and accepting an invitation are limited by address, and lock nothing before they check", async () => {
  await using lodge = await startService(proxied);
  await twoOrganisations(lodge);
  const input = { organisationName: "Mine", name: "Mallory", email: "mallory@example.test", password };
  const post = (path: string, address: string, body: unknown) =>
    lodge.request("POST", `/api/dashboard${path}`, { headers: { "x-forwarded-for": address }, body });
  assert.equal((await post("/setup", "203.0.113.5", input)).status, 409);
  const client = await lodge.deps.pool.connect();
  try {
    // With these locks held, a request that reads passwords or locks an organisation before its check would wait.
    await client.query(begin);
    await client.query("lock table organisations in exclusive mode");
    await client.query("lock table passwords in access exclusive mode");
    const setUps = await Promise.all(Array.from({ length: 40 }, () => post("/setup", "2001:db8::1", input)));
    assert.deepEqual([...new Set(setUps.map(({ body }) => body.error))], ["already_set_up"]);
    const link = `/invitation-links/${"x".repeat(43)}`;
    const links = await Promise.all(Array.from({ length: 40 }, (_, n) => post(link, `2001:db8:0:9::${n}`, {})));
    assert.deepEqual(
      [404, 429].map((status) => links.filter((answer) => answer.status === status).length),
      [30, 10],
    );
    for (const link of links.filter(({ status }) => status === 429)) assertSoon(link);
  } finally {
    await client.query("rollback");
    client.release();
  }
});

test("attempts to create the first owner are limited by address", async () => {
  await using lodge = await startService(proxied);
  const input = { organisationName: "Acme", name: "Zoë", email: "agent@acme.lodge.invalid", password };
  await lodge.apply({ organisation: { name: "Acme", slug: "acme" } });
  const answers = await Promise.all(
    Array.from({ length: 33 }, (_, n) =>
      lodge.request("POST", "/api/dashboard/setup", {
        headers: { "x-forwarded-for": `2001:db8::${n}` },
        body: input,
      }),
    ),
  );
  assert.deepEqual(
    [400, 429].map((status) => answers.filter((answer) => answer.status === status).length),
    [30, 3],
  );
});

test("requests that change something must come from the dashboard's own origin", async () => {
  await using lodge = await startService();
  await twoOrganisations(lodge);
  const body = { email: "ada@acme.test", password };
  const from = (headers: Record<string, string>) => lodge.request("POST", "/api/dashboard/session", { headers, body });
  for (const headers of [{ origin: "https://evil.example" }, { origin: "null" }, { "sec-fetch-site": "cross-site" }]) {
    const answer = await from(headers);
    assert.equal(answer.status, 403);
    assert.equal(answer.body.error, "untrusted_origin");
  }
  assert.equal((await from({ origin: lodge.url })).status, 200);
  assert.equal((await from({ "sec-fetch-site": "same-origin" })).status, 200);
  assert.equal((await from({})).status, 200, "clients other than browsers send neither header");
});

test("behind https the cookie is only sent over https", async () => {
  await using lodge = await startService({ LODGE_BASE_URL: "https://lodge.example" });
  await twoOrganisations(lodge);
  const body = { email: "ada@acme.test", password };
  const answer = await lodge.request("POST", "/api/dashboard/session", {
    headers: { origin: "https://lodge.example" },
    body,
  });
  const [cookie = ""] = answer.headers.getSetCookie();
  assert.match(
    cookie,
    /^__Secure-lodge\.session_token=[^;]+; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  const headers = { cookie: cookie.split(";", 1)[0] ?? "" };
  assert.equal((await lodge.request("GET", "/api/dashboard/session", { headers })).status, 200);
  assert.equal((await lodge.request("GET", "/api/dashboard/members", { headers })).status, 200);
});

test("a tampered cookie is refused", async () => {
  await using lodge = await startService();
  await twoOrganisations(lodge);
  const client = await signedIn(lodge, "ada@acme.test");
  const [name, value] = [...client.cookies][0] ?? ["", ""];
  for (const forged of [`x${value}`, value.replace(/\.[^.]*$/, ""), value.replace(/\.[^.]*$/, ".AAAA"), "", "."]) {
    client.cookies.set(name, forged);
    assert.equal((await client("GET", "/members")).status, 401, forged);
    assert.equal((await client("GET", "/session")).status, 401, forged);
  }
});

test("a session ends after seven days without use", async () => {
  let now = new Date();
  await using lodge = await startService({}, { clock: { now: () => now } });
  await twoOrganisations(lodge);
  const client = await signedIn(lodge, "ada@acme.test");
  now = new Date(now.getTime() + 7 * 86_400_000 - 60_000);
  assert.equal((await client("GET", "/members")).status, 200);
  now = new Date(now.getTime() + 120_000);
  assert.equal((await client("GET", "/members")).status, 401);
});

test("expired sessions are deleted, and the others stay", async () => {
  await using lodge = await startService();
  await twoOrganisations(lodge);
  await signedIn(lodge, "mel@acme.test");
  await lodge.deps.pool.query("update sessions set expires_at = now() - interval '1 second'");
  const client = await signedIn(lodge, "ada@acme.test");
  await sweepSessions(lodge.deps);
  assert.equal((await lodge.deps.db.selectFrom("sessions").select("id").execute()).length, 1);
  assert.equal((await client("GET", "/members")).status, 200);
});

test("a session in use is renewed, with its cookie", async () => {
  await using lodge = await startService();
  await twoOrganisations(lodge);
  const client = await signedIn(lodge, "ada@acme.test");
  assert.deepEqual((await client("GET", "/session")).headers.getSetCookie(), [], "not every request renews the cookie");
  await lodge.deps.pool.query(
    "update sessions set expires_at = expires_at - interval '2 days', updated_at = updated_at - interval '2 days'",
  );
  const [cookie = ""] = (await client("GET", "/session")).headers.getSetCookie();
  assert.match(cookie, /Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/);
  const { expires_at } = await lodge.deps.db.selectFrom("sessions").select("expires_at").executeTakeFirstOrThrow();
  assert.ok(expires_at.getTime() > Date.now() + 6.9 * 86_400_000);
  assert.equal((await client("GET", "/members")).status, 200);
});

test("a person of two organisations switches between them", async () => {
  await using lodge = await startService();
  const { acme, umbra } = await twoOrganisations(lodge);
  await lodge.apply({
    organisation: { name: "Umbra", slug: "umbra" },
    members: [{ email: "ada@acme.test", name: "Ada Acme", role: "member" }],
  });
  const client = await signedIn(lodge, "ada@acme.test");
  const before = (await client("GET", "/session")).body as {
    organisations: { name: string }[];
    organisation: { id: string };
  };
  assert.deepEqual(
    before.organisations.map(({ name }) => name),
    ["Acme", "Umbra"],
  );
  assert.equal(before.organisation.id, acme.organisation.id);

  const switched = await client("PATCH", "/session", { organisationId: umbra.organisation.id });
  assert.equal(switched.status, 200, switched.text);
  assert.deepEqual(switched.body.organisation, {
    id: umbra.organisation.id,
    name: "Umbra",
    slug: "umbra",
    role: "member",
  });
  assert.equal((await client("GET", "/tokens")).status, 403, "Ada is a member here, and an owner there");
  const again = await client("GET", "/session");
  const { livePosition: _before, ...session } = switched.body;
  const { livePosition: _after, ...same } = again.body;
  assert.deepEqual(same, session);

  const mel = await signedIn(lodge, "mel@acme.test");
  const foreign = await mel("PATCH", "/session", { organisationId: umbra.organisation.id });
  const missing = await mel("PATCH", "/session", { organisationId: "00000000-0000-7000-8000-000000000000" });
  assert.equal(foreign.status, 404);
  assert.equal(foreign.body.error, "organisation_not_found");
  assert.deepEqual(foreign.body, missing.body);
  assert.equal((await mel("GET", "/members")).status, 200, "Mel stays in the earlier organisation");
  assert.equal((await mel("PATCH", "/session", { organisationId: "x" })).status, 400);
  assert.equal((await visitor(lodge)("PATCH", "/session", { organisationId: umbra.organisation.id })).status, 401);
});

test("an organisation without people does not hide the first-start page, and is not given to the first visitor", async () => {
  await using lodge = await startService();
  const world = { organisation: { name: "Acme", slug: "acme" } };
  const acme = await lodge.apply(world);
  const client = visitor(lodge);
  assert.deepEqual((await client("GET", "/setup")).body, { needed: true, sendsMail: false });
  const input = { organisationName: "Acme", name: "Zoë", email: "zoe@example.test", password };
  for (const email of ["Agent@acme.lodge.invalid", "agent@acme-2.lodge.invalid"]) {
    const refused = await client("POST", "/setup", { ...input, email });
    const message = "must not be the e-mail address of an organisation's AI agent";
    assert.deepEqual([refused.status, refused.body.details], [400, [{ path: "/email", message }]]);
  }

  const both = await Promise.all([client("POST", "/setup", input), visitor(lodge)("POST", "/setup", input)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
  assert.deepEqual((await client("GET", "/setup")).body, { needed: false, sendsMail: false });
  const owner = await signedIn(lodge, input.email);
  const { organisations } = (await owner("GET", "/session")).body as { organisations: { slug: string }[] };
  assert.deepEqual(
    organisations.map(({ slug }) => slug),
    ["acme-2"],
  );

  const { email, name } = input;
  const again = await lodge.apply({ ...world, members: [{ email, name, role: "owner" }] });
  assert.deepEqual(again.organisation, acme.organisation);
  const after = (await owner("GET", "/session")).body as { organisations: { slug: string }[] };
  assert.deepEqual(after.organisations.map(({ slug }) => slug).sort(), ["acme", "acme-2"]);
});

test("set-up is refused if there is a member, even one without a password", async () => {
  await using lodge = await startService();
  await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    members: [{ email: "ada@acme.test", name: "Ada", role: "member" }],
  });
  const client = visitor(lodge);
  assert.deepEqual((await client("GET", "/setup")).body, { needed: false, sendsMail: false });
  const input = { organisationName: "Mine", name: "Mallory", email: "ada@acme.test", password };
  const refused = await client("POST", "/setup", input);
  assert.deepEqual([refused.status, refused.body.error], [409, "already_set_up"]);
});

test("the first owner is created once", async () => {
  await using lodge = await startService();
  const client = visitor(lodge);
  assert.deepEqual((await client("GET", "/setup")).body, { needed: true, sendsMail: false });
  const input = { organisationName: "Zoë & Söhne", name: "Zoë", email: "zoe@example.test", password };
  const wrong = await client("POST", "/setup", { ...input, password: "short" });
  assert.equal(wrong.body.error, "invalid_input");
  assert.deepEqual(wrong.body.details, [{ path: "/password", message: "must have at least 10 characters" }]);
  for (const common of ["1234567890", "Password123", "QWERTYUIOP"]) {
    const refused = await client("POST", "/setup", { ...input, password: common });
    const [{ path, message } = { path: "", message: "" }] = refused.body.details as { path: string; message: string }[];
    assert.deepEqual([refused.status, refused.body.error, path], [400, "invalid_input", "/password"], common);
    assert.match(message, /^must not be a common password/);
  }

  const both = await Promise.all([client("POST", "/setup", input), visitor(lodge)("POST", "/setup", input)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
  assert.deepEqual((await client("GET", "/setup")).body, { needed: false, sendsMail: false });
  assert.equal((await client("POST", "/setup", input)).body.error, "already_set_up");

  const owner = visitor(lodge);
  const session = await owner("POST", "/session", { email: input.email, password });
  const { organisation } = session.body as { organisation: { name: string; slug: string; role: string } };
  assert.deepEqual([organisation.name, organisation.slug, organisation.role], ["Zoë & Söhne", "zoe-sohne", "owner"]);
  const { people } = (await owner("GET", "/people")).body as { people: { name: string; isAgent: boolean }[] };
  assert.deepEqual(
    people.map(({ name, isAgent }) => [name, isAgent]),
    [
      ["Agent", true],
      ["Zoë", false],
    ],
  );
});

test("a person makes at most 600 changes a minute, over all sessions and processes, without delaying others", async () => {
  const clock = movableClock();
  await using first = await startService({}, { clock });
  await twoOrganisations(first);
  await using second = await startService(first.env, { clock });
  const clients = [await signedIn(first, "mel@acme.test"), await signedIn(second, "mel@acme.test")];
  const change = (n: number) => (clients[n % 2] as DashboardClient)("POST", "/boards", {});
  assert.equal((await change(0)).status, 400);
  const { rowCount } = await first.deps.pool.query(
    "update rate_limits set total[2] = 598 where bucket like 'writes:%'",
  );
  assert.equal(rowCount, 1);
  const answers = await Promise.all(Array.from({ length: 5 }, (_, n) => change(n)));
  const refused = answers.filter(({ status }) => status === 429);
  assert.equal(refused.length, 3);
  for (const answer of refused) {
    assert.equal(answer.body.error, "rate_limit_exceeded");
    assertSoon(answer);
  }
  assert.equal((await clients[0]?.("GET", "/projects"))?.status, 200, "reads do not count as changes");
  const grace = await signedIn(second, "grace@acme.test");
  assert.equal((await grace("POST", "/boards", {})).status, 400);
  clock.move(60_000);
  assert.equal((await change(1)).status, 400);
});

test("changing a password ends all earlier sessions and their streams, and no others", async () => {
  await using lodge = await startService();
  await twoOrganisations(lodge);
  const stolen = await signedIn(lodge, "mel@acme.test");
  const other = await signedIn(lodge, "grace@acme.test");
  const cookie = [...stolen.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const stream = await fetch(`${lodge.url}/api/dashboard/events`, { headers: { cookie } });
  assert.equal(stream.status, 200);
  const apply = (word: string) =>
    applyWorld(lodge.deps, {
      organisation: { name: "Acme", slug: "acme" },
      members: [{ email: "mel@acme.test", name: "Mel Acme", role: "member", password: word }],
    });
  await apply(password);
  assert.equal((await stolen("GET", "/projects")).status, 200, "applying the same password ends no session");
  await apply("another long enough password");
  await stream.text(); // ends
  assert.equal((await stolen("GET", "/projects")).status, 401);
  assert.equal((await other("GET", "/projects")).status, 200);
});

test("a sign-in with the old password opens no session once the password changes", async () => {
  await using patient = await makePatientDatabase();
  await using lodge = await startService(patient.env, patient.overrides);
  const { acme } = await twoOrganisations(lodge);
  const mel = { id: acme.members[2]?.id ?? "", email: "mel@acme.test" };
  const { db, pool } = lodge.deps;
  const signsIn = await db.transaction().execute(async (tx) => {
    await tx.selectFrom("passwords").select("user_id").where("user_id", "=", mel.id).forUpdate().execute();
    const answer = visitor(lodge)("POST", "/session", { email: mel.email, password });
    await untilWaiting(pool); // it has verified the old password
    await applyPassword(tx, mel.id, "a new and long enough password");
    return { answer };
  });
  const { status, body } = await signsIn.answer;
  assert.deepEqual([status, body.error], [401, "wrong_credentials"]);
  assert.deepEqual((await pool.query("select id from sessions")).rows, []);
});
