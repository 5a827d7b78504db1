import assert from "node:assert/strict";
import { test } from "node:test";
import { isSecretName, redactText } from "./redact.ts";

/** Texts with secrets, which are between ⟦ and ⟧. */
const secrets = [
  "Authorization: Bearer ⟦eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N⟧",
  '{"authorization":"Basic ⟦dXNlcjpwYXNzd29yZA==⟧"}',
  "Cookie: ⟦sid=8a7d9f; theme=dark⟧",
  "set-cookie: ⟦session=abc123; HttpOnly⟧",
  "GET https://app.test/reset?token=⟦9f8e7d6c5b4a⟧&lang=en",
  "https://app.test/#access_token=⟦ya29.a0AfH6SMBx⟧&expires_in=3600",
  "https://⟦ada:hunter2⟧@db.test/shop",
  "postgres://⟦lodge:s3cr3t⟧@10.0.0.1:5432/lodge",
  '{"password": "⟦correct horse⟧"}',
  '{"password":"⟦it\'s a \\"secret\\"⟧","user":"ada"}',
  "{ password: '⟦say \"friend\"⟧', user: 'ada' }",
  '{"body":"{\\"password\\":\\"⟦hunter2⟧\\",\\"user\\":\\"ada\\"}"}',
  '{"body":"{\\"n\\":1,\\"pin\\":⟦1234⟧,\\"m\\":2}"}',
  "newPassword=⟦hunter2⟧&confirm=yes",
  "apiKey: ⟦0123456789abcdef⟧",
  "X-Api-Key: ⟦0123456789abcdef⟧",
  "client_secret=⟦GOCSPX-abcdef⟧",
  "filed with ⟦ldg_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJ⟧",
  "pushed with ⟦ghp_16C7e42F292c6912E7710c838347Ae178B4a⟧",
  "⟦glpat-ABCDEFGHIJKLMNOPQRST⟧ in a log",
  "⟦xoxb-123456789012-123456789012-abcdefghijklmnop⟧",
  "charged with ⟦sk_live_4eC39HqLyjWDarjtT1zdp7dc⟧",
  "⟦AKIAIOSFODNN7EXAMPLE⟧ is the id",
  "jwt ⟦eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N⟧ expired",
  "⟦-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----⟧",
  "paid with ⟦4242 4242 4242 4242⟧ today",
  "paid with ⟦4111111111111111⟧",
  "amex ⟦3782-822463-10005⟧",
  "mastercard ⟦5555-5555-5555-4444⟧.",
  "cvv=⟦123⟧",
  "csrfToken: ⟦aGVsbG8gd29ybGQ⟧",
  "session_id=⟦deadbeef⟧;",
];

/** Texts that look like secrets, but that people need to understand a report. */
const harmless = [
  "TypeError: Cannot read properties of undefined (reading 'token')",
  "at checkout (https://shop.test/assets/app-3f9a.js:10:5123)",
  "SyntaxError: Unexpected token '<', \"<!doctype \"... is not valid JSON",
  "order 1234567890123456 of 2026-11-21T10:00:00.000Z", // no check digit
  "at 1732183200000", // a time in milliseconds
  "018f2d3e-4a5b-7c6d-8e9f-0a1b2c3d4e5f",
  "00000000-0000-4000-8000-000000000000",
  "the author: Ada Lovelace",
  "authenticated=true, tokens used: 1200",
  "GET /api/passengers?page=2&lang=en#tab=all",
  "at checkout (https://shop.test/assets/app.js?v=3:10:5123)",
  "mailto:ada@example.test",
  "https://app.test:8080/path@2x.png",
  "3.14159265358979323846",
  "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
];

test("query parameters keep their values if they are known to be harmless or the app lists them", () => {
  const url =
    "https://shop.test/a?page=2&sig=abc&X-Amz-Signature=1&code=x:y&Plan=pro#state=z (https://b.test/c.js?id=7:10:5)";
  const struck = (plan: string) =>
    `https://shop.test/a?page=2&sig=[redacted]&X-Amz-Signature=[redacted]&code=[redacted]&Plan=${plan}#state=[redacted] (https://b.test/c.js?id=[redacted]:10:5)`;
  assert.equal(redactText(url), struck("[redacted]"));
  assert.equal(redactText(url, ["plan"]), struck("pro"));
  assert.equal(redactText(url, true), url);
  assert.equal(redactText("/reset?token=abc&next=/", true), "/reset?token=[redacted]&next=/");
});

test("only the credential of an authorization header is redacted", () => {
  assert.equal(
    redactText("Authorization: Bearer abc.def failed with 403 for ada"),
    "Authorization: Bearer [redacted] failed with 403 for ada",
  );
  assert.equal(redactText('{"authorization":"Basic YTpi","n":1}'), '{"authorization":"Basic [redacted]","n":1}');
  assert.equal(redactText("Authorization: Digest username=ada, response=1"), "Authorization: [redacted]");
});

test("secrets in a text are redacted, and the rest of it stays", () => {
  for (const marked of secrets) {
    const [, before = "", secret = "", behind = ""] = /^(.*)⟦(.*)⟧(.*)$/s.exec(marked) ?? [];
    const redacted = redactText(`${before}${secret}${behind}`);
    assert.ok(!redacted.includes(secret), `${marked} became ${redacted}`);
    assert.ok(redacted.startsWith(before.split(/bearer |basic /i)[0] ?? ""), `${marked} became ${redacted}`);
    assert.ok(redacted.endsWith(behind), `${marked} became ${redacted}`);
  }
});

test("text without a secret is unchanged", () => {
  for (const text of harmless) assert.equal(redactText(text), text);
});

test("the value of a secret name is redacted in any case style", () => {
  for (const name of [
    "password",
    "newPassword",
    "user_password",
    "apiKey",
    "X-API-Key",
    "accessToken",
    "id_token",
    "Authorization",
    "set-cookie",
    "cardNumber",
    "CVC",
    "client.secret",
    "sessionId",
    "PIN",
  ]) {
    assert.ok(isSecretName(name), name);
  }
  for (const name of [
    "author",
    "tokens",
    "passenger",
    "keyboard",
    "secretary",
    "spin",
    "name",
    "compass",
    "key",
    "sides",
  ]) {
    assert.ok(!isSecretName(name), name);
  }
});

test("redaction is fast even for hostile texts", () => {
  for (const unit of [
    "a",
    "1 ",
    "1-",
    "a=",
    "-----BEGIN PRIVATE KEY-----",
    "eyJaaaaaaaa.",
    "authorization: ",
    "x://",
    "://a:",
    "Bearer ",
    'token="',
    'token\\"=\\"',
    "token=\\",
    "?a",
    "?a=",
    "?a=&",
    "?a=:1",
  ]) {
    redactText(unit.repeat(20_000)); // the suite's time limit is the assertion
  }
});
