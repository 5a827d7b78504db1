import { randomUUID } from "node:crypto";
import type { TestOutcome, TestSubscriber } from "@lodge/contract/dashboard/subscribers";
import type { Actor } from "../access/find-actor.ts";
import { hideSignatures } from "../artifacts/artifact-links.ts";
import type { Deps } from "../platform/deps.ts";
import { invalidInput, Refusal } from "../platform/errors.ts";
import { requireApp } from "../problems/require-app.ts";
import { requireReceiverUrl } from "../subscribers/receiver-url.ts";
import { makeSigningSecret } from "../subscribers/sign-webhook.ts";
import { attemptDelivery } from "./attempt-delivery.ts";
import type { Outbound } from "./kinds/kind.ts";
import type { TakenDelivery } from "./take-deliveries.ts";

/** What a report is called that there is not. */
const reportId = "lodge-test";

/**
 * Sends a message about a report that there is not, as a subscriber of the app would get it, and tells what came of it.
 * Nothing is kept. Throws `app_not_found`, `subscriber_not_found`, or `invalid_input` for a board.
 */
export async function testSubscriber(
  deps: Deps,
  outbound: Outbound,
  actor: Actor,
  appId: string,
  { kind, url, secret, token, subscriberId }: TestSubscriber,
): Promise<TestOutcome> {
  const app = await requireApp(deps, actor, appId);
  if (kind === "board") throw invalidInput([{ path: "/kind", message: "is not told by a message" }]);
  requireReceiverUrl(kind, url);
  const given = kind === "github" ? token : secret;
  if (kind === "github" && given === undefined && subscriberId === undefined) {
    throw invalidInput([{ path: "/token", message: "is required" }]);
  }
  const secrets =
    given === undefined && subscriberId !== undefined
      ? await secretsOf(deps, actor, subscriberId)
      : [given ?? makeSigningSecret()];
  const envelope = {
    reportId,
    kind: "other",
    title: "A test from Lodge",
    message: `${actor.name} tries out who is told of the reports of ${app.name}.`,
  };
  const delivery: TakenDelivery = {
    id: randomUUID(),
    eventId: randomUUID(),
    appId: app.id,
    appName: app.name,
    organisationId: actor.organisationId,
    subscriberId: subscriberId ?? randomUUID(),
    reportId,
    receivedAt: deps.clock.now(),
    envelope: Buffer.from(JSON.stringify(envelope)),
    attachments: [],
    reply: null,
    kind,
    url,
    secrets,
    boardId: null,
    columnId: null,
    traceparent: null,
    retryCount: 0,
    replayId: null,
    isProbe: false,
  };
  const began = performance.now();
  const { status, response, reason } = await attemptDelivery(deps, outbound)(delivery);
  const durationMs = Math.round(performance.now() - began);
  return { durationMs, status, response: hideSignatures(response), reason: hideSignatures(reason) };
}

async function secretsOf({ db }: Deps, { organisationId }: Actor, subscriberId: string): Promise<string[]> {
  const found = await db
    .selectFrom("subscribers")
    .leftJoin("signing_secrets", (join) =>
      join
        .onRef("signing_secrets.app_id", "=", "subscribers.app_id")
        .onRef("signing_secrets.subscriber_id", "=", "subscribers.id"),
    )
    .select("secret")
    .where("subscribers.organisation_id", "=", organisationId)
    .where("subscribers.id", "=", subscriberId)
    .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">", new Date())]))
    .execute();
  if (found.length === 0) throw new Refusal("subscriber_not_found");
  return found.flatMap(({ secret }) => secret ?? []);
}
