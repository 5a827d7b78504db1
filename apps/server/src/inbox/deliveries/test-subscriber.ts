import { randomUUID } from "node:crypto";
import type { TestOutcome, TestSubscriber } from "@lodge/contract/dashboard/subscribers";
import type { Actor } from "../../people/access/find-actor.ts";
import { recordAudit } from "../../people/audit/record-audit.ts";
import { limitStrangerMail } from "../../people/stranger-mails/limit-stranger-mail.ts";
import { seal, Unreadable, unseal } from "../../platform/config/seal.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput, Refusal } from "../../platform/errors.ts";
import { limitRate } from "../../platform/limits/limit-rate.ts";
import { nameReceiver } from "../../platform/outbound/name-receiver.ts";
import type { Addressed } from "../../platform/outbound/receiver-address.ts";
import { requireReceiverUrl } from "../../platform/outbound/receiver-url.ts";
import { makeSigningSecret } from "../../platform/outbound/sign-webhook.ts";
import { hideSignatures } from "../artifacts/artifact-links.ts";
import { requireApp } from "../problems/require-app.ts";
import { tokenOfOther } from "../subscribers/change-subscriber.ts";
import { mailAddressOf } from "../subscribers/confirm-subscriber.ts";
import { readSubscriber } from "../subscribers/list-subscribers.ts";
import { attemptDelivery } from "./attempt-delivery.ts";
import type { Outbound } from "./kinds/kind.ts";
import type { TakenDelivery } from "./take-deliveries.ts";

/** The reportId of the test report. */
const reportId = "lodge-test";
/** For each organisation. A test is sent immediately, whatever rate limit its subscriber has. */
const testsPerMinuteMax = 30;

/**
 * Sends a message about a made-up report, as a subscriber of the app would get it, and returns its outcome. Nothing is
 * stored but the audit entry. Throws `app_not_found`, `subscriber_not_found`, `rate_limit_exceeded`, or `invalid_input`
 * for a board.
 */
export async function testSubscriber(
  deps: Deps,
  outbound: Outbound,
  actor: Actor,
  appId: string,
  { kind, url, secret, token, subscriberId }: TestSubscriber,
): Promise<TestOutcome> {
  const app = await requireApp(deps, actor, appId);
  if (kind === "board")
    throw invalidInput([{ path: "/kind", message: "must be a kind that receives messages, not board" }]);
  requireReceiverUrl(kind, url);
  await limitRate(deps, `subscriber-tests:${actor.organisationId}`, testsPerMinuteMax);
  if (kind === "email") await limitTestMail(deps, actor, url);
  const given = kind === "github" ? token : secret;
  const stored =
    subscriberId === undefined ? undefined : await readSubscriber(deps, deps.db, actor.organisationId, subscriberId);
  if (stored && stored.app.id !== app.id) throw new Refusal("subscriber_not_found");
  // A stored secret is used only at its own address: a message signed with it and sent elsewhere would be as good as
  // the secret.
  const isItsPlace = stored !== undefined && stored.kind === kind && stored.url === url;
  const secrets = given === undefined && isItsPlace ? await secretsOf(deps, actor, stored.id) : [];
  if (given !== undefined) secrets.push(given);
  if (kind === "github" && secrets.length === 0) {
    throw invalidInput([stored ? tokenOfOther : { path: "/token", message: "is required" }]);
  }
  if (kind === "webhook" && secrets.length === 0) secrets.push(makeSigningSecret());
  await recordTest(deps, actor, app.name, { kind, url, subscriberId: stored?.id ?? null });
  const id = stored?.id ?? randomUUID();
  const envelope = {
    reportId,
    kind: "other",
    title: "A test from Lodge",
    message: `${actor.name} is testing a subscriber of ${app.name}.`,
  };
  const delivery: TakenDelivery = {
    id: randomUUID(),
    eventId: randomUUID(),
    appId: app.id,
    appName: app.name,
    organisationId: actor.organisationId,
    subscriberId: id,
    reportId,
    receivedAt: deps.clock.now(),
    envelope: Buffer.from(JSON.stringify(envelope)),
    attachments: [],
    reply: null,
    kind,
    url,
    sealedUrl: null,
    secrets: secrets.map((plain) => seal(deps.sealing, "signing_secrets.secret", id, plain)),
    boardId: null,
    columnId: null,
    traceparent: null,
    retryCount: 0,
    replayId: null,
    isProbe: false,
  };
  return attempt(deps, outbound, delivery);
}

async function attempt(deps: Deps, outbound: Outbound, delivery: TakenDelivery): Promise<TestOutcome> {
  const began = performance.now();
  const { status, response, reason } = await attemptDelivery(deps, outbound)(delivery);
  const durationMs = Math.round(performance.now() - began);
  return { durationMs, status, response: hideSignatures(response), reason: hideSignatures(reason) };
}

/** Tests to an address that was confirmed or verified here are not limited; those to any other, a few a day. */
function limitTestMail({ db, clock }: Deps, { organisationId }: Actor, url: string): Promise<void> {
  return db.transaction().execute(async (tx) => {
    const confirmed = await tx
      .selectFrom("subscribers")
      .select("id")
      .where("organisation_id", "=", organisationId)
      .where("url", "=", url)
      .where("confirmed_at", "is not", null)
      .where("deleted_at", "is", null)
      .executeTakeFirst();
    if (!confirmed) await limitStrangerMail(tx, clock.now(), organisationId, mailAddressOf(url));
  });
}

/** Records the test in the audit log, before it is sent. */
async function recordTest(
  { db, clock }: Deps,
  actor: Actor,
  app: string,
  { kind, url, subscriberId }: { kind: Addressed; url: string; subscriberId: string | null },
): Promise<void> {
  const details = { by: actor.name, app, subscriberId, subscriberKind: kind, receiver: nameReceiver(kind, url, null) };
  await recordAudit(db, actor, clock.now(), "subscriber.tested", details);
}

async function secretsOf(
  { db, clock, sealing }: Deps,
  { organisationId }: Actor,
  subscriberId: string,
): Promise<string[]> {
  const found = await db
    .selectFrom("subscribers")
    .innerJoin("signing_secrets", (join) =>
      join
        .onRef("signing_secrets.app_id", "=", "subscribers.app_id")
        .onRef("signing_secrets.subscriber_id", "=", "subscribers.id"),
    )
    .select("secret")
    .where("subscribers.organisation_id", "=", organisationId)
    .where("subscribers.id", "=", subscriberId)
    .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">", clock.now())]))
    .execute();
  try {
    return found.map(({ secret }) => unseal(sealing, "signing_secrets.secret", subscriberId, secret).toString());
  } catch (error) {
    if (error instanceof Unreadable) return []; // as if none was stored: it has to be entered again
    throw error;
  }
}
