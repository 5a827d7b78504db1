import assert from "node:assert/strict";
import { test } from "node:test";
import {
  changeSubscriber,
  confirmSubscription,
  createSubscriber,
  getSubscription,
  listSubscribers,
  sendSubscriberConfirmation,
} from "@lodge/contract/calls.generated";
import { signedIn, visitor } from "../../testing/dashboard-client.ts";
import { movableClock } from "../../testing/movable-clock.ts";
import { startMailServer } from "../../testing/start-mail-server.ts";
import { startService, withWorker } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { subscribe } from "../../testing/subscribe.ts";
import { enableAnySubscriber } from "./enable-subscriber.ts";

const from = { ...withWorker, LODGE_MAIL_FROM: "Lodge <lodge@lodge.test>" };
const members = [
  { name: "Ada", email: "ada@acme.test", role: "admin" as const },
  { name: "Grace", email: "grace@acme.test", role: "admin" as const },
];
/** The secret of the link in an e-mail, whose lines may be folded. */
const secretIn = (mail = "") => /subscriptions\/(\w+)/.exec(mail.replaceAll(/=\r?\n/g, ""))?.[1] ?? "";
const crew = { kind: "email" as const, url: "mailto:crew@acme.test" };

test("an e-mail subscriber receives nothing until its owner confirms it with a button", async () => {
  await using mails = await startMailServer();
  await using lodge = await startService({ ...from, LODGE_SMTP_URL: mails.url });
  const { key, appId } = await subscribe(lodge, [], { members });
  const ada = await signedIn(lodge, "ada@acme.test");
  const { subscriber } = await ada.call(createSubscriber, { params: { appId }, body: { ...crew, perMinute: 600_000 } });
  assert.deepEqual([subscriber.enabled, subscriber.waitsForConfirmation], [false, true]);
  assert.equal(subscriber.perMinute, 60, "the maximum, whatever was requested");
  const [asked] = await mails.until(1);
  assert.match(asked ?? "", /^To: crew@acme\.test\r?$/m);
  assert.match(asked ?? "", /^Subject: Confirm that you want the reports of iOS\r?$/m);

  const { deliveryCount } = await submitReport(lodge.url, key, { reportId: "before" });
  assert.equal(deliveryCount, 0);
  const params = { subscriberId: subscriber.id };
  const enabling = await ada("PATCH", `/subscribers/${subscriber.id}`, { enabled: true });
  assert.deepEqual([enabling.status, enabling.body.error], [400, "invalid_input"]);
  await assert.rejects(enableAnySubscriber(lodge.deps, subscriber.id), /confirmed/);

  const stranger = visitor(lodge);
  const path = { params: { secret: secretIn(asked) } };
  for (let scans = 0; scans < 2; scans++) {
    const seen = await stranger.call(getSubscription, path);
    assert.deepEqual(seen, { email: "crew@acme.test", appName: "iOS", organisationName: "Acme" });
  }
  assert.equal(
    (await submitReport(lodge.url, key, { reportId: "scanned" })).deliveryCount,
    0,
    "opening the link does not confirm",
  );
  await stranger.call(confirmSubscription, path);
  assert.equal((await submitReport(lodge.url, key, { reportId: "after", title: "Crash" })).deliveryCount, 1);
  const [, told] = await mails.until(2);
  assert.match(told ?? "", /^Subject: iOS: Crash\r?$/m);
  for (const method of ["GET", "POST"]) {
    const used = await stranger(method, `/subscriptions/${secretIn(asked)}`);
    assert.deepEqual([used.status, used.body.error], [404, "subscription_not_found"]);
  }

  const moved = await ada.call(changeSubscriber, { params, body: { url: "mailto:others@acme.test" } });
  assert.deepEqual([moved.enabled, moved.waitsForConfirmation], [false, true], "a new address has to be confirmed");
  assert.equal((await submitReport(lodge.url, key, { reportId: "moved" })).deliveryCount, 0);
});

test("the link can be sent again, works for seven days, and only the newest one works", async () => {
  await using mails = await startMailServer();
  const clock = movableClock();
  await using lodge = await startService({ ...from, LODGE_SMTP_URL: mails.url }, { clock });
  const { appId } = await subscribe(lodge, [], { members });
  const ada = await signedIn(lodge, "ada@acme.test");
  const { subscriber } = await ada.call(createSubscriber, { params: { appId }, body: crew });
  const params = { subscriberId: subscriber.id };
  const again = await ada.call(sendSubscriberConfirmation, { params });
  assert.equal(again.waitsForConfirmation, true);
  const [first, second] = await mails.until(2);
  const look = async (mail: string | undefined) =>
    (await visitor(lodge)("GET", `/subscriptions/${secretIn(mail)}`)).status;
  assert.deepEqual([await look(first), await look(second)], [404, 200]);
  await ada.call(sendSubscriberConfirmation, { params });
  const often = await ada("POST", `/subscribers/${subscriber.id}/confirmation`);
  assert.deepEqual(
    [often.status, often.body.error],
    [429, "rate_limit_exceeded"],
    "the fourth e-mail of a day is refused",
  );
  assert.match(String(often.body.message), /3 e-mails today\. Try again after midnight UTC/);
  const [, , third] = await mails.until(3);
  assert.equal(await look(third), 200);
  clock.move(7 * 86_400_000);
  assert.equal(await look(third), 404);
});

test("a member's own verified address needs no link, and nobody else can confirm it", async () => {
  await using mails = await startMailServer();
  await using lodge = await startService({ ...from, LODGE_SMTP_URL: mails.url });
  const { appId } = await subscribe(lodge, [{ kind: "email", url: "mailto:ada@acme.test" }], { members });
  const ada = await signedIn(lodge, "ada@acme.test");
  const grace = await signedIn(lodge, "grace@acme.test");
  await lodge.deps.db.updateTable("users").set({ email_verified_at: new Date() }).where("name", "=", "Ada").execute();
  const [applied] = (await ada.call(listSubscribers)).subscribers;
  assert.deepEqual(
    [applied?.waitsForConfirmation, applied?.perMinute],
    [true, 10],
    "applying a file does not confirm an address",
  );
  const params = { subscriberId: applied?.id ?? "" };
  assert.equal((await grace.call(sendSubscriberConfirmation, { params })).waitsForConfirmation, true);
  assert.equal((await ada.call(sendSubscriberConfirmation, { params })).waitsForConfirmation, false);
  const body = { kind: "email" as const, url: "mailto:Grace@acme.test" };
  const { subscriber } = await grace.call(createSubscriber, { params: { appId }, body });
  assert.equal(subscriber.waitsForConfirmation, true, "her own address is not verified yet");
  const none = await ada("POST", `/subscribers/${params.subscriberId}/confirmation`);
  assert.deepEqual(
    [none.status, none.body.error],
    [404, "subscriber_not_found"],
    "a confirmed subscriber gets no further link",
  );
});
