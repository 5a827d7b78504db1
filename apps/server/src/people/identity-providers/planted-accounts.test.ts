import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  addPasskey,
  beginIdentityLink,
  beginPasskey,
  beginPasskeySignIn,
  beginProviderSignIn,
  beginTotp,
  confirmTotp,
  finishIdentityLink,
  listOwnIdentities,
  listPasskeys,
  setIdentityProvider,
  unlinkOwnIdentity,
} from "@lodge/contract/calls.generated";
import type { Session } from "@lodge/contract/dashboard/access";
import { codeOf } from "../../testing/authenticator.ts";
import { type DashboardClient, password, signedIn, visitor } from "../../testing/dashboard-client.ts";
import { makePasskeyDevice } from "../../testing/passkey-device.ts";
import { type LyingProvider, startLyingProvider } from "../../testing/start-lying-provider.ts";
import { startMailServer } from "../../testing/start-mail-server.ts";
import { startService, withWorker } from "../../testing/start-service.ts";

let now = new Date();
const clock = { now: () => now };
const started = new AsyncDisposableStack();
after(() => started.disposeAsync());
const mail = started.use(await startMailServer());
const opened = { LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1" };
const mailed = { ...withWorker, LODGE_SMTP_URL: mail.url, LODGE_MAIL_FROM: "lodge@lodge.test" };
const lodge = started.use(await startService({ ...opened, ...mailed }, { clock }));
const corp = started.use(await startLyingProvider());
const evil = started.use(await startLyingProvider());

for (const slug of ["corp", "evil"]) {
  await lodge.apply({
    organisation: { name: slug, slug },
    members: [
      { email: `owner@${slug}.test`, name: `Owner of ${slug}`, role: "owner", password },
      { email: `other@${slug}.test`, name: `Other of ${slug}`, role: "owner", password },
    ],
  });
}
const owner = await signedIn(lodge, "owner@corp.test");
const attacker = await signedIn(lodge, "owner@evil.test");
const newPassword = "what the victim has chosen";

const settings = (provider: LyingProvider, isRequired = false) => ({
  issuer: provider.url,
  clientId: "lodge",
  clientSecret: "the secret of this client",
  domains: ["corp.test"],
  roleClaim: "roles",
  roles: { owner: ["owner"], admin: ["admin"], member: ["member"] },
  defaultRole: null,
  isRequired,
});
await attacker.call(setIdentityProvider, { body: settings(evil) });
await owner.call(setIdentityProvider, { body: settings(corp) });

/** Moves the clock by a minute, so that no rate limit is reached. */
const wait = () => {
  now = new Date(now.getTime() + 60_000);
};

const claimsOf = (provider: LyingProvider, url: string, claims: object) => {
  const seconds = Math.floor(Date.now() / 1000);
  const nonce = new URL(url).searchParams.get("nonce");
  return { iss: provider.url, aud: "lodge", iat: seconds, exp: seconds + 60, nonce, email_verified: true, ...claims };
};
const answerTo = (url: string) => `?code=x&state=${new URL(url).searchParams.get("state")}`;

/** Signs in with the provider of an organisation, which makes these claims. */
async function signInWith(provider: LyingProvider, claims: object, client = visitor(lodge)) {
  wait();
  const slug = provider === corp ? "corp" : "evil";
  const { url } = await client.call(beginProviderSignIn, { params: { slug } });
  provider.says.claims = claimsOf(provider, url, { roles: ["member"], ...claims });
  const answer = await client("POST", `/provider-sign-ins/${slug}/completion`, { answer: answerTo(url) });
  const session = answer.body as unknown as Session;
  return { client, said: answer.status === 200 ? "in" : answer.body.error, session };
}

const linkOf = (url: unknown) => `/invitation-links/${String(url).split("/").at(-1)}`;
const slugsOf = ({ organisations }: Session) => organisations.map(({ slug }) => slug);

/** The attacker creates an account for an address, by an invitation of their own whose link they see. */
async function squat(email: string, role = "member") {
  wait();
  await lodge.deps.db.deleteFrom("stranger_mails").execute(); // more people are invited here than one day allows
  const invited = await attacker("POST", "/invitations", { email, role });
  assert.equal(invited.status, 201, invited.text);
  const client = visitor(lodge);
  const accepted = await client("POST", linkOf(invited.body.url), { name: "Squatter", password });
  assert.equal(accepted.status, 200, accepted.text);
  return { client, userId: (accepted.body as unknown as Session).user.id };
}

async function plantPasskey(client: DashboardClient) {
  const device = makePasskeyDevice();
  const origin = new URL(lodge.url).origin;
  const { options } = await client.call(beginPasskey, { body: { password } });
  await client.call(addPasskey, {
    body: { name: "Planted", credential: device.make(options, { origin }) } as never,
  });
  return async () => {
    wait();
    const guest = visitor(lodge);
    const asked = await guest.call(beginPasskeySignIn);
    const credential = device.sign(asked.options, { origin, counter: 1 });
    await guest("POST", "/passkey-sign-ins/completion", { credential });
    return guest;
  };
}

const plants = {
  password: async (_client: DashboardClient, email: string) => async () => {
    wait();
    const guest = visitor(lodge);
    await guest("POST", "/session", { email, password });
    return guest;
  },
  passkey: plantPasskey,
  session: async (client: DashboardClient) => async () => client,
};

const memberships = {
  "still a member": async () => {},
  removed: async (userId: string) => assert.equal((await attacker("DELETE", `/members/${userId}`)).status, 204),
  "signed in by a provider of their own": async (_userId: string, email: string) =>
    assert.equal((await signInWith(evil, { sub: `of ${email}`, email })).said, "in"),
};

let made = 0;
for (const [membership, arrange] of Object.entries(memberships)) {
  for (const [kind, plant] of Object.entries(plants)) {
    for (const isRequired of [false, true]) {
      for (const role of ["member", "admin", "owner"]) {
        test(`a planted account has no access: ${kind}, ${membership}, ${role}, ${isRequired ? "required" : "optional"}`, async () => {
          const email = `victim${made++}@corp.test`;
          const squatted = await squat(email, role);
          const comeBack = await plant(squatted.client, email);
          await arrange(squatted.userId, email);
          await owner.call(setIdentityProvider, { body: settings(corp, isRequired) });
          await owner("POST", "/invitations", { email, role: "member" });

          const victim = await signInWith(corp, { sub: email, email, name: "Victim", roles: [role] });
          assert.equal(victim.said, "in");
          assert.notEqual(victim.session.user.id, squatted.userId);
          assert.partialDeepStrictEqual(victim.session, { organisation: { slug: "corp", role } });
          assert.deepEqual(slugsOf(victim.session), ["corp"]);
          assert.equal((await victim.client("GET", "/projects")).status, 200);
          const { invitations } = (await owner("GET", "/invitations")).body as { invitations: { email: string }[] };
          assert.ok(!invitations.some((invitation) => invitation.email === email), "the invitation counts as accepted");

          const back = await comeBack();
          const { body, status } = await back("GET", "/session");
          if (status === 200) assert.ok(!slugsOf(body as unknown as Session).includes("corp"));
          const organisationId = victim.session.organisation?.id;
          const switched = await back("PATCH", "/session", { organisationId });
          assert.ok(["organisation_not_found", "not_signed_in"].includes(`${switched.body.error}`));
          const again = await signInWith(corp, { sub: email, email, roles: [role] });
          assert.equal(again.session.user.id, victim.session.user.id);
        });
      }
    }
  }
}

/** The links in all e-mails to an address, the newest last. */
async function linksTo(email: string, path: "invitations" | "passwords", count = 1): Promise<string> {
  for (let total = 1; ; total++) {
    const messages = await mail.until(total);
    const theirs = messages
      .map((message) => message.replaceAll("\r\n", "\n").replaceAll("=\n", ""))
      .filter((message) => message.includes(`To: ${email}\n`) && message.includes(`/${path}/`))
      .flatMap((message) => new RegExp(`/${path}/([0-9A-Za-z]{43})\n`).exec(message)?.[1] ?? []);
    if (theirs.length >= count) return theirs.at(-1) ?? "";
  }
}

async function resetByMail(email: string) {
  wait();
  await visitor(lodge)("POST", "/password-links", { email });
  const path = `/password-links/${await linksTo(email, "passwords")}`;
  const client = visitor(lodge);
  const link = (await client("GET", path)).body;
  const answer = await client("POST", path, { password: newPassword });
  assert.equal(answer.status, 200, answer.text);
  return { client, link, session: answer.body as unknown as Session };
}

test("the first mailed reset removes what an attacker planted, and then the mailed invitation works for the victim", async () => {
  const email = "reset@corp.test";
  const squatted = await squat(email);
  const comeBack = await plantPasskey(squatted.client);
  const { secret } = await squatted.client.call(beginTotp, { body: { password } });
  await squatted.client.call(confirmTotp, { body: { code: codeOf(secret, now) } });
  await squatted.client("POST", "/organisations", { name: "Planted" });
  wait();
  const invited = await owner("POST", "/invitations", { email, role: "admin" });
  const secretOfMail = await linksTo(email, "invitations", 2);
  assert.notEqual(linkOf(invited.body.url), `/invitation-links/${secretOfMail}`, "the inviter sees another link");
  const link = `/invitation-links/${secretOfMail}`;
  assert.equal((await visitor(lodge)("POST", link, { name: "Victim", password })).body.error, "not_signed_in");

  const { client, link: shown, session } = await resetByMail(email);
  assert.deepEqual(shown, { email, verifiesAddress: true });
  assert.deepEqual(slugsOf(session), [], "neither the attacker's organisation nor one made in the victim's name");
  assert.deepEqual((await client.call(listPasskeys)).passkeys, []);
  assert.equal((await (await comeBack())("GET", "/session")).status, 401);
  assert.equal((await squatted.client("GET", "/session")).status, 401);
  assert.deepEqual(slugsOf((await client("POST", link, {})).body as unknown as Session), ["corp"]);
  const { rows } = await lodge.deps.pool.query(
    `select details->>'leavesNoOwner' as "leavesNoOwner" from audit_entries join organisations on organisations.id = organisation_id
     where kind = 'member.removed' and organisations.name = 'Planted'`,
  );
  assert.deepEqual(rows, [{ leavesNoOwner: "true" }], "the audit log records that the organisation has no owner left");

  await plantPasskeyWith(client);
  const again = await resetAgain(email);
  assert.equal(again, "second_factor_required", "a reset keeps the passkey of a verified address");
});

async function plantPasskeyWith(client: DashboardClient) {
  wait();
  const { options } = await client.call(beginPasskey, { body: { password: newPassword } });
  const credential = makePasskeyDevice().make(options, { origin: new URL(lodge.url).origin });
  await client.call(addPasskey, { body: { name: "Own", credential } as never });
}

async function resetAgain(email: string) {
  wait();
  await visitor(lodge)("POST", "/password-links", { email });
  const path = `/password-links/${await linksTo(email, "passwords", 2)}`;
  return (await visitor(lodge)("POST", path, { password: newPassword })).body.error;
}

test("joining by the mailed link verifies the address of a new account; the link that the inviter sees does not", async () => {
  for (const [email, isMailed] of [
    ["mailed@corp.test", true],
    ["shown@corp.test", false],
  ] as const) {
    wait();
    const invited = await owner("POST", "/invitations", { email, role: "member" });
    const link = isMailed ? `/invitation-links/${await linksTo(email, "invitations")}` : linkOf(invited.body.url);
    assert.equal((await visitor(lodge)("POST", link, { name: "New", password })).status, 200);
    const { link: shown, session } = await resetByMail(email);
    assert.equal(shown.verifiesAddress, !isMailed);
    assert.deepEqual(slugsOf(session), isMailed ? ["corp"] : []);
  }
});

test("a reset keeps what the operator created, and a link that an admin made verifies nothing", async () => {
  const email = "applied@corp.test";
  const { members } = await lodge.apply({
    organisation: { name: "corp", slug: "corp" },
    members: [{ email, name: "Applied", role: "member" }],
  });
  const made = await owner("POST", `/members/${members[0]?.id}/password-link`);
  const path = `/password-links/${`${made.body.url}`.split("/").at(-1)}`;
  assert.equal((await visitor(lodge)("GET", path)).body.verifiesAddress, false);
  assert.equal((await visitor(lodge)("POST", path, { password })).status, 200);
  const { link, session } = await resetByMail(email);
  assert.deepEqual([link.verifiesAddress, slugsOf(session)], [true, ["corp"]]);
});

/** The attacker, an admin of a person's only organisation, takes over the account by a password link. */
async function takeOverByLink(email: string) {
  const { members } = (await attacker("GET", "/members")).body as { members: { email: string; userId: string }[] };
  const { userId } = members.find((member) => member.email === email) ?? {};
  const made = await attacker("POST", `/members/${userId}/password-link`);
  assert.equal(made.status, 201, made.text);
  wait();
  const client = visitor(lodge);
  const set = await client("POST", `/password-links/${`${made.body.url}`.split("/").at(-1)}`, { password });
  assert.equal(set.status, 200, set.text);
  return client;
}

test("the next mailed link removes everything an admin planted through a password link, even for a verified address", async () => {
  const email = "employee@corp.test";
  wait();
  await lodge.deps.db.deleteFrom("stranger_mails").execute();
  await attacker("POST", "/invitations", { email, role: "member" });
  const link = `/invitation-links/${await linksTo(email, "invitations")}`;
  assert.equal((await visitor(lodge)("POST", link, { name: "Employee", password: newPassword })).status, 200);
  const planted = await takeOverByLink(email);
  const comeBack = await plantPasskey(planted);
  const { secret } = await planted.call(beginTotp, { body: { password } });
  await planted.call(confirmTotp, { body: { code: codeOf(secret, now) } });

  const { client, link: shown, session } = await resetByMail(email);
  assert.equal(shown.verifiesAddress, true);
  assert.deepEqual(slugsOf(session), ["evil"], "the person stays a member, having joined by a mailed link");
  assert.deepEqual((await client.call(listPasskeys)).passkeys, []);
  assert.equal((await planted("GET", "/session")).status, 401);
  assert.equal((await (await comeBack())("GET", "/session")).status, 401);
});

test("an account that the operator made but an admin may have taken over is cleared before it joins elsewhere", async () => {
  const email = "contractor@corp.test";
  await lodge.apply({
    organisation: { name: "evil", slug: "evil" },
    members: [{ email, name: "Own", role: "member" }],
  });
  const planted = await takeOverByLink(email);
  const comeBack = await plantPasskey(planted);
  await lodge.apply({ organisation: { name: "corp", slug: "corp" }, members: [{ email, name: "Own", role: "admin" }] });
  assert.equal((await planted("GET", "/session")).status, 401);
  assert.equal((await (await comeBack())("GET", "/session")).status, 401);
  assert.equal((await visitor(lodge)("POST", "/session", { email, password })).status, 401);
});

test("lodged apply takes over an account that anybody may have made", async () => {
  const email = "taken@corp.test";
  const squatted = await squat(email);
  const comeBack = await plantPasskey(squatted.client);
  await lodge.apply({ organisation: { name: "corp", slug: "corp" }, members: [{ email, name: "Own", role: "admin" }] });
  assert.equal((await squatted.client("GET", "/session")).status, 401);
  assert.equal((await (await comeBack())("GET", "/session")).status, 401);
  assert.equal((await visitor(lodge)("POST", "/session", { email, password })).status, 401);
  assert.equal((await signInWith(corp, { sub: email, email })).session.user.id, squatted.userId);
});

test("an invited person signs in to the same account after single sign-on is set up; another subject does not", async () => {
  const email = "early@corp.test";
  wait();
  const invited = await owner("POST", "/invitations", { email, role: "member" });
  const early = await visitor(lodge)("POST", linkOf(invited.body.url), { name: "Early", password });
  const { user } = early.body as unknown as Session;
  const first = await signInWith(corp, { sub: email, email, name: "Somebody else" });
  assert.deepEqual([first.said, first.session.user], ["in", user], "the account keeps its name");
  const successor = await signInWith(corp, { sub: "the next one at this address", email });
  assert.equal(successor.said, "in");
  assert.notEqual(successor.session.user.id, user.id);
  assert.equal((await owner("DELETE", `/members/${user.id}`)).status, 204);
  const back = await signInWith(corp, { sub: email, email });
  assert.notEqual(back.session.user.id, user.id, "a removed member signs in to a separate account");
});

test("a provider's account belongs only to its organisation, beside a password account with the same address", async () => {
  const email = "twice@corp.test";
  const own = await signInWith(corp, { sub: email, email });
  wait();
  const invited = await attacker("POST", "/invitations", { email, role: "member" });
  const link = linkOf(invited.body.url);
  assert.equal((await own.client("POST", link, {})).body.error, "signed_in_by_provider");
  const made = await owner("POST", `/members/${own.session.user.id}/password-link`);
  assert.deepEqual([made.status, made.body.error], [409, "account_of_provider"]);
  const factor = await owner("DELETE", `/members/${own.session.user.id}/second-factor`);
  assert.equal(factor.body.error, "account_of_provider");
  assert.equal(
    (await visitor(lodge)("POST", link, { name: "Twice", password })).status,
    200,
    "no password account exists yet",
  );
  wait();
  const second = visitor(lodge);
  const session = (await second("POST", "/session", { email, password })).body as unknown as Session;
  assert.deepEqual(slugsOf(session), ["evil"]);
  assert.notEqual(session.user.id, own.session.user.id);
  assert.equal((await signInWith(corp, { sub: email, email })).session.user.id, own.session.user.id);
  const { members } = (await owner("GET", "/members")).body as { members: { email: string; isOfProvider: boolean }[] };
  assert.deepEqual(
    members.filter((member) => member.email === email).map(({ isOfProvider }) => isOfProvider),
    [true],
  );
});

test("an invitation link does not reveal whether the address has an account", async () => {
  await squat("known@corp.test");
  const said = async (email: string) => {
    wait();
    const invited = await owner("POST", "/invitations", { email, role: "member" });
    const link = linkOf(invited.body.url);
    const shown = (await visitor(lodge)("GET", link)).body;
    const empty = await visitor(lodge)("POST", link, {});
    return [{ ...shown, email: "" }, empty.status, empty.body.error, empty.body.details];
  };
  assert.deepEqual(await said("known@corp.test"), await said("unknown@corp.test"));
});

test("a member links the account on the profile, only in the session that started it, and unlinks it", async () => {
  const params = { slug: "corp" };
  const linker = await signedIn(lodge, "other@corp.test");
  const claims = { sub: "linked", email: "another.address@corp.test", roles: ["owner"] };
  const begin = async (client: DashboardClient) => {
    wait();
    const { url } = await client.call(beginIdentityLink, { params, body: { password } });
    corp.says.claims = claimsOf(corp, url, claims);
    return answerTo(url);
  };
  const finish = (client: DashboardClient, answer: string) =>
    client("POST", "/profile/identities/corp/completion", { answer });
  assert.partialDeepStrictEqual(await linker.call(listOwnIdentities), {
    identities: [{ organisation: { slug: "corp" }, issuer: corp.url, linkedAt: null }],
  });
  const wrong = await linker("POST", "/profile/identities/corp", { password: "wrong" });
  assert.equal(wrong.body.error, "wrong_credentials");
  assert.equal((await linker("POST", "/profile/identities/corp", {})).body.error, "invalid_input");
  const stranger = await attacker("POST", "/profile/identities/corp", { password });
  assert.equal(stranger.body.error, "provider_not_found", "only members can link");

  const elsewhere = await signedIn(lodge, "other@corp.test");
  const answer = await begin(linker);
  for (const [name, value] of linker.cookies) if (name.endsWith("provider_sign_in")) elsewhere.cookies.set(name, value);
  assert.equal((await finish(elsewhere, answer)).body.error, "provider_refused", "started in another session");
  const asSignIn = await linker("POST", "/provider-sign-ins/corp/completion", { answer });
  assert.equal(asSignIn.body.error, "provider_refused", "an answer to a linking request");
  wait();
  const { url } = await linker.call(beginProviderSignIn, { params });
  corp.says.claims = claimsOf(corp, url, claims);
  assert.equal((await finish(linker, answerTo(url))).body.error, "provider_refused", "an answer to a sign-in");

  const linked = await linker.call(finishIdentityLink, { params, body: { answer: await begin(linker) } });
  assert.ok(linked.identities[0]?.linkedAt);
  const signedInAs = async () => (await signInWith(corp, claims)).session.user;
  assert.equal((await signedInAs()).email, "other@corp.test");
  const another = await signedIn(lodge, "owner@corp.test");
  assert.equal((await finish(another, await begin(another))).body.error, "identity_taken");
  const byProvider = await signInWith(corp, claims);
  assert.equal((await byProvider.client("GET", "/profile/identities")).body.error, "signed_in_by_provider");

  const left = await linker.call(unlinkOwnIdentity, { params });
  assert.equal(left.identities[0]?.linkedAt, null);
  assert.equal((await byProvider.client("GET", "/session")).status, 401, "the provider's session has ended");
  assert.equal((await signedInAs()).email, "another.address@corp.test", "the subject now has a separate account");
  const own = await signInWith(corp, { sub: "own", email: "other@corp.test", roles: ["owner"] });
  const session = (await linker("GET", "/session")).body as unknown as Session;
  assert.notEqual(own.session.user.id, session.user.id, "the same address does not link the account again");
});

test("an address must be plain ASCII with one @, and a subject must not be empty, wherever they are read", async () => {
  const said = async (claims: object) =>
    (await signInWith(corp, { sub: "odd", email: "odd@corp.test", ...claims })).said;
  for (const email of ["a@b@corp.test", '"a@b"@corp.test', "a b@corp.test", "\u212a@corp.test", "a@\u212aorp.test"]) {
    assert.equal(await said({ email }), "email_not_vouched_for", email);
    wait();
    for (const [path, body] of [
      ["/session", { email, password }],
      ["/password-links", { email }],
    ] as const) {
      assert.equal((await visitor(lodge)("POST", path, body)).body.error, "invalid_input", `${path} ${email}`);
    }
    assert.equal((await owner("POST", "/invitations", { email, role: "member" })).body.error, "invalid_input", email);
  }
  for (const sub of ["", "\u0000", "x".repeat(256), "\u212a"]) {
    assert.equal(await said({ sub }), "provider_refused", JSON.stringify(sub));
  }
  assert.equal(await said({}), "in");
});
