import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  beginPasskey,
  beginPasskeySignIn,
  beginTotp,
  changePasskey,
  changeSignInRules,
  confirmTotp,
  getSecondFactor,
  getSignInRules,
  listPasskeys,
  removeMemberSecondFactor,
  removeOwnSecondFactor,
  renewRecoveryCodes,
} from "@lodge/contract/calls.generated";
import { seal, sealingKeys } from "../../platform/config/seal.ts";
import { codeOf as codeAt } from "../../testing/authenticator.ts";
import { type DashboardClient, password, signedIn, twoOrganisations, visitor } from "../../testing/dashboard-client.ts";
import { dumpDatabase } from "../../testing/dump-database.ts";
import { makePasskeyDevice } from "../../testing/passkey-device.ts";
import { startService } from "../../testing/start-service.ts";
import { dropSecondFactor } from "../organisations/drop-second-factor.ts";

let now = new Date(); // stopped, so that the step of each code is known
const clock = { now: () => now };
const lodge = await startService({}, { clock });
after(() => lodge[Symbol.asyncDispose]());
const { acme } = await twoOrganisations(lodge);

const codeOf = (key: string) => codeAt(key, clock.now());

/** A person who has set up an authenticator app and used its current code. */
async function enrolled(email: string) {
  const client = await signedIn(lodge, email);
  const { secret } = await client.call(beginTotp, { body: { password } });
  const { recoveryCodes } = await client.call(confirmTotp, { body: { code: codeOf(secret) } });
  return { client, secret, recoveryCodes };
}

const signIn = async (email: string, code?: string) => {
  const client = visitor(lodge);
  const answer = await client("POST", "/session", { email, password, ...(code !== undefined && { code }) });
  return { client, said: answer.status === 200 ? "in" : answer.body.error, answer };
};

const later = (steps: number) => {
  now = new Date(now.getTime() + steps * 30_000);
};
const remove = (client: DashboardClient) => client.call(removeOwnSecondFactor, { body: { password } });

test("a person sets up an authenticator app, and signs in with its codes, each once", async () => {
  const ada = await signedIn(lodge, "ada@acme.test");
  const elsewhere = await signedIn(lodge, "ada@acme.test");
  assert.deepEqual(await ada.call(getSecondFactor), { since: null, recoveryCodesLeft: 0 });
  const wrong = await ada("POST", "/profile/totp", { password: "wrong wrong" });
  assert.equal(wrong.body.error, "wrong_credentials");
  assert.equal((await ada("POST", "/profile/totp/confirmation", { code: "1" })).body.error, "second_factor_not_begun");
  await ada.call(beginTotp, { body: { password } });
  const { secret, uri } = await ada.call(beginTotp, { body: { password } });
  assert.equal(uri, `otpauth://totp/Lodge%20127.0.0.1:ada%40acme.test?secret=${secret}&issuer=Lodge%20127.0.0.1`);
  assert.equal((await signIn("ada@acme.test")).said, "in", "an unconfirmed app is not required");
  assert.equal((await ada("POST", "/profile/totp/confirmation", { code: "000000" })).body.error, "wrong_code");
  const first = codeOf(secret);
  const { recoveryCodes } = await ada.call(confirmTotp, { body: { code: first } });
  assert.deepEqual([recoveryCodes.length, new Set(recoveryCodes).size], [10, 10]);
  assert.equal((await elsewhere("GET", "/session")).status, 401, "sessions opened without the second factor are ended");
  assert.equal((await ada("POST", "/profile/totp", { password })).body.error, "second_factor_on");

  const before = await lodge.deps.db.selectFrom("sessions").select("id").execute();
  const without = await signIn("ada@acme.test");
  assert.deepEqual([without.answer.status, without.said], [401, "second_factor_required"]);
  assert.deepEqual(without.answer.headers.getSetCookie(), []);
  assert.equal((await signIn("ada@acme.test", first)).said, "wrong_code", "the code was used for the confirmation");
  assert.deepEqual(await lodge.deps.db.selectFrom("sessions").select("id").execute(), before, "and no session is left");
  later(1);
  const code = codeOf(secret);
  const both = await Promise.all([
    signIn("ada@acme.test", ` ${code.slice(0, 3)} ${code.slice(3)}`),
    signIn("ada@acme.test", code),
  ]);
  assert.deepEqual(both.map(({ said }) => said).sort(), ["in", "wrong_code"], "each code signs in once");
  later(2); // stays within the limit of a minute
  const [recovery = "", other = ""] = recoveryCodes;
  assert.equal((await signIn("ada@acme.test", recovery.toUpperCase())).said, "in");
  assert.equal((await signIn("ada@acme.test", recovery)).said, "wrong_code");
  assert.equal((await ada.call(getSecondFactor)).recoveryCodesLeft, 9);
  const renewed = await ada.call(renewRecoveryCodes, { body: { password } });
  assert.equal((await signIn("ada@acme.test", other)).said, "wrong_code");
  assert.equal((await signIn("ada@acme.test", renewed.recoveryCodes[0])).said, "in");

  const all = JSON.stringify(await dumpDatabase(lodge.deps.pool)).toLowerCase();
  const shown = [secret, recovery, ...renewed.recoveryCodes].flatMap((text) => [text, text.replaceAll("-", "")]);
  for (const text of shown)
    assert.ok(!all.includes(text.toLowerCase()), "neither the key nor the codes are stored in plain text");
  await remove(ada);
  assert.equal((await signIn("ada@acme.test")).said, "in");
});

test("code guesses wait longer each time, however many are sent at once; a right code resets the wait", async () => {
  later(2);
  const { client, secret } = await enrolled("mel@acme.test");
  const guesses = await Promise.all(Array.from({ length: 9 }, () => signIn("mel@acme.test", "000000")));
  const count = (what: string) => guesses.filter(({ said }) => said === what).length;
  assert.deepEqual([count("wrong_code"), count("rate_limit_exceeded")], [5, 4]);
  const refused = guesses.find(({ said }) => said === "rate_limit_exceeded");
  assert.equal(refused?.answer.headers.get("retry-after"), "60");
  later(3);
  assert.equal((await signIn("mel@acme.test", "000000")).said, "wrong_code");
  const again = await signIn("mel@acme.test", codeOf(secret));
  assert.deepEqual([again.said, again.answer.headers.get("retry-after")], ["rate_limit_exceeded", "120"]);
  later(5);
  assert.equal((await signIn("mel@acme.test", codeOf(secret))).said, "in");
  for (let guess = 0; guess < 4; guess++) assert.equal((await signIn("mel@acme.test", "000000")).said, "wrong_code");
  later(2);
  await remove(client);
});

test("an owner with a second factor requires it of everybody, and members without one only see their profile", async () => {
  later(2);
  const ada = await signedIn(lodge, "ada@acme.test");
  const [grace, mel] = [await signedIn(lodge, "grace@acme.test"), await signedIn(lodge, "mel@acme.test")];
  const require = (client: DashboardClient, requiresSecondFactor = true) =>
    client("PATCH", "/sign-in-rules", { requiresSecondFactor });
  assert.equal((await require(ada)).body.error, "second_factor_needed", "the owner would lock themselves out");
  assert.equal((await require(grace)).body.error, "forbidden", "an admin");
  const { client: owner } = await enrolled("ada@acme.test");
  await owner.call(changeSignInRules, { body: { requiresSecondFactor: true } });
  assert.deepEqual(await owner.call(getSignInRules), { requiresSecondFactor: true });
  for (const path of ["/projects", "/members", "/events"]) {
    const { status, body } = await mel("GET", path);
    assert.deepEqual([status, body.error], [403, "second_factor_needed"], path);
  }
  assert.equal((await grace("POST", "/projects", { name: "x" })).body.error, "second_factor_needed");
  assert.equal((await mel("GET", "/session")).body.needsSecondFactor, true);
  const eve = await signedIn(lodge, "eve@umbra.test");
  assert.equal((await eve("GET", "/projects")).status, 200, "members of other organisations are not affected");

  const { client: melToo } = await enrolled("mel@acme.test");
  assert.equal((await melToo("GET", "/session")).body.needsSecondFactor, false);
  assert.equal((await melToo("GET", "/projects")).status, 200);
  const melId = acme.members[2]?.id ?? "";
  assert.equal((await melToo("DELETE", `/members/${melId}/second-factor`)).body.error, "forbidden");
  await owner.call(removeMemberSecondFactor, { params: { userId: melId } });
  assert.equal((await melToo("GET", "/projects")).body.error, "second_factor_needed", "from the next request");
  const { rows } = await lodge.deps.pool.query("select kind from audit_entries order by id");
  assert.deepEqual(
    rows.map(({ kind }) => kind),
    ["sign_in.changed", "second_factor.removed"],
  );
  await owner.call(changeSignInRules, { body: { requiresSecondFactor: false } });
  assert.equal((await mel("GET", "/session")).status, 401, "enrolling ended the other session");
  await remove(owner);
});

test("after LODGE_SECRET changes, recovery codes still work, and sign-in explains why app codes do not", async () => {
  later(2);
  const { secret, recoveryCodes } = await enrolled("mel@acme.test");
  const { userId } =
    (await lodge.deps.db.selectFrom("totp_factors").select("user_id as userId").executeTakeFirst()) ?? {};
  const sealed = seal(
    sealingKeys("the secret before this one"),
    "totp_factors.sealed_secret",
    userId ?? "",
    "an earlier key",
  );
  await lodge.deps.db.updateTable("totp_factors").set({ sealed_secret: sealed }).execute();
  later(1);
  const { said, answer } = await signIn("mel@acme.test", codeOf(secret));
  assert.deepEqual([answer.status, said], [401, "second_factor_unreadable"]);
  assert.match(String(answer.body.message), /recovery code/);
  const back = await signIn("mel@acme.test", recoveryCodes[0]);
  assert.equal(back.said, "in");
  await remove(back.client);
  await remove((await enrolled("mel@acme.test")).client); // the app can be set up again
});

test("a new password from a link still needs the second factor", async () => {
  later(2);
  const { client, secret } = await enrolled("mel@acme.test");
  const ada = await signedIn(lodge, "ada@acme.test");
  const link = await ada("POST", `/members/${acme.members[2]?.id}/password-link`);
  const visiting = visitor(lodge);
  const path = `/password-links/${String(link.body.url).split("/").at(-1)}`;
  const set = await visiting("POST", path, { password });
  assert.deepEqual([set.body.error, visiting.cookies.size], ["second_factor_required", 0]);
  assert.equal((await client("GET", "/session")).status, 401, "the link changes the password and ends sessions");
  later(1);
  const back = await signIn("mel@acme.test", codeOf(secret));
  assert.equal(back.said, "in");
  const changed = await back.client("POST", "/profile/password", { currentPassword: password, password });
  assert.equal(changed.status, 200, "changing the password in a session needs no code");
  await dropSecondFactor(lodge.deps, "MEL@acme.test");
  assert.equal((await signIn("mel@acme.test")).said, "in", "the operator removed the second factor");
  await assert.rejects(dropSecondFactor(lodge.deps, "nobody@acme.test"), /nobody with the address/);
});

/** A person with a new passkey device, and helpers that send its responses; a test can falsify any part of them. */
async function withDevice(email: string) {
  const client = await signedIn(lodge, email);
  const device = makePasskeyDevice();
  const origin = new URL(lodge.url).origin;
  const begin = async () => (await client.call(beginPasskey, { body: { password } })).options;
  const add = async (options: Record<string, unknown>, other = {}) => {
    const credential = device.make(options, { origin, ...other });
    const { status, body } = await client("POST", "/profile/passkeys", { name: "Key ring", credential });
    return status === 201 ? "kept" : body.error;
  };
  const ask = async () => (await visitor(lodge).call(beginPasskeySignIn)).options;
  const complete = async (credential: Record<string, unknown>) => {
    const { status, body } = await visitor(lodge)("POST", "/passkey-sign-ins/completion", { credential });
    return status === 200 ? "in" : body.error;
  };
  const signInWith = async (counter: number, other = {}) =>
    complete(device.sign(await ask(), { origin, counter, ...other }));
  return { client, device, origin, begin, add, ask, complete, signInWith };
}

test("a passkey signs in with a fresh challenge, once, at this address, from a device that was not cloned", async () => {
  later(2);
  const { device, origin, begin, add, ask, complete, signInWith } = await withDevice("mel@acme.test");
  const asked = await begin();
  assert.equal(await add({ challenge: (await ask()).challenge }), "passkey_refused", "a challenge for sign-in");
  assert.equal(await add(asked, { origin: "http://127.0.0.1:1" }), "passkey_refused", "made at another origin");
  assert.equal(await add(asked), "passkey_refused", "the challenge was used already");
  assert.equal(await add(await begin(), { isVerified: false }), "passkey_refused", "the user was not verified");
  const late = await begin();
  later(11);
  assert.equal(await add(late), "passkey_refused", "the challenge expired after five minutes");
  assert.equal(await add(await begin(), { counter: 1 }), "kept");
  assert.equal(await add(await begin(), { counter: 1 }), "passkey_refused", "the passkey is registered already");

  assert.equal(await signInWith(2), "in");
  assert.equal(await signInWith(2), "passkey_refused", "the counter did not increase");
  assert.equal(await signInWith(1), "passkey_refused", "the counter decreased");
  assert.equal(await signInWith(3, { origin: "http://127.0.0.1:1" }), "passkey_refused", "signed for another port");
  assert.equal(await signInWith(3, { origin: "http://localhost" }), "passkey_refused", "signed for another host");
  assert.equal(await signInWith(3, { isVerified: false }), "passkey_refused");
  const { privateKey: key, sign } = makePasskeyDevice();
  assert.equal(await signInWith(3, { key }), "passkey_refused", "signed with another key");
  assert.equal(await complete(sign(await ask(), { origin, counter: 3 })), "passkey_refused", "unknown passkey");
  assert.equal(await complete(device.sign(await begin(), { origin, counter: 3 })), "passkey_refused");
  const stale = device.sign(await ask(), { origin, counter: 3 });
  later(11);
  assert.equal(await complete(stale), "passkey_refused", "the challenge expired after five minutes");
  const good = device.sign(await ask(), { origin, counter: 3 });
  assert.deepEqual(await Promise.all([complete(good), complete(good)]).then((said) => said.sort()), [
    "in",
    "passkey_refused",
  ]);
  const two = await Promise.all([4, 4].map((counter) => signInWith(counter)));
  assert.deepEqual(two.sort(), ["in", "passkey_refused"], "a device and its clone cannot both sign in");
});

test("a person renames their passkeys, and has at most 20", async () => {
  later(2);
  const { client, begin, add } = await withDevice("grace@acme.test");
  assert.equal(await add(await begin()), "kept");
  const [passkey] = (await client.call(listPasskeys)).passkeys;
  const passkeyId = passkey?.id ?? "";
  assert.equal(passkey?.name, "Key ring");
  const renamed = await client.call(changePasskey, { params: { passkeyId }, body: { name: "Blue key" } });
  assert.deepEqual(renamed, { ...passkey, name: "Blue key" });
  const path = `/profile/passkeys/${passkeyId}`;
  assert.equal((await client("PATCH", path, { name: " " })).body.error, "invalid_input");
  const eve = await signedIn(lodge, "eve@umbra.test");
  assert.equal((await eve("PATCH", path, { name: "Mine" })).body.error, "passkey_not_found");
  assert.deepEqual((await client.call(listPasskeys)).passkeys, [renamed]);

  const fill = (count: number) =>
    lodge.deps.pool.query(
      `insert into passkeys (user_id, name, credential_id, public_key, counter, transports, created_at)
      select user_id, name, credential_id || uuidv7(), public_key, counter, transports, created_at
      from passkeys, generate_series(1, $2) where id = $1`,
      [passkeyId, count],
    );
  await fill(18);
  const last = await begin();
  await fill(1);
  assert.equal(await add(last), "too_many", "another passkey was added meanwhile");
  assert.equal((await client("POST", "/profile/passkeys/options", { password })).body.error, "too_many");
});
