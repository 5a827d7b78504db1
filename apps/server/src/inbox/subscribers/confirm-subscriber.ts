import type { Subscriber, SubscriptionLink } from "@lodge/contract/dashboard/subscribers";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import { limitComingIn } from "../../people/access/limit-sign-in.ts";
import { hashLinkSecret, makeLinkSecret } from "../../people/organisations/link-secret.ts";
import { limitStrangerMail } from "../../people/stranger-mails/limit-stranger-mail.ts";
import type { Database, Transaction } from "../../platform/database/database.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { oneLine, queueMail, sendsMail } from "../../platform/outbound/queue-mail.ts";
import { changeSubscribers } from "./change-subscribers.ts";
import { enableSubscriber } from "./enable-subscriber.ts";
import { readSubscriber } from "./list-subscribers.ts";

const daysValid = 7;

/** The columns of an unconfirmed e-mail subscriber, which receives nothing. */
export const unconfirmed = (now: Date) => ({
  enabled: false,
  disabled_at: now,
  disabled_reason: "Waiting for confirmation.",
  confirmed_at: null,
});

/** Makes a subscriber wait for confirmation of a new address; earlier links no longer work. */
export async function holdForConfirmation(tx: Transaction, now: Date, id: string): Promise<void> {
  const nothing = { confirmation_sha256: null, confirmation_sent_at: null };
  await tx
    .updateTable("subscribers")
    .set({ ...unconfirmed(now), ...nothing })
    .where("id", "=", id)
    .execute();
}

/** The e-mail address of an e-mail subscriber. */
export const mailAddressOf = (url: string): string => decodeURIComponent(url.slice("mailto:".length));

/**
 * E-mails the link again, or confirms the actor's own address. Throws `subscriber_not_found` or `rate_limit_exceeded`.
 */
export async function sendConfirmation(deps: Deps, actor: Actor, subscriberId: string): Promise<Subscriber> {
  const { subscriber } = await changeSubscribers(deps, actor, "subscriber.confirmation_sent", async (tx) => {
    const before = await readSubscriber(deps, tx, actor.organisationId, subscriberId);
    if (!before.waitsForConfirmation) throw new Refusal("subscriber_not_found");
    await askForConfirmation(tx, deps, actor, before);
    return { subscriber: await readSubscriber(deps, tx, actor.organisationId, subscriberId) };
  });
  deps.announceJobs();
  return subscriber;
}

/**
 * E-mails the owner of a subscriber's address a confirmation link, which replaces earlier ones. The actor's own
 * verified address is confirmed immediately. Throws `rate_limit_exceeded`.
 */
export async function askForConfirmation(
  tx: Transaction,
  { clock, config, urls }: Deps,
  actor: Actor,
  { id, app, url }: Pick<Subscriber, "id" | "app" | "url">,
): Promise<void> {
  const to = mailAddressOf(url ?? "");
  const now = clock.now();
  if (await isOwnAddress(tx, actor, to)) return confirm(tx, id, now);
  if (!sendsMail(config)) return;
  await limitStrangerMail(tx, now, actor.organisationId, to);
  const secret = makeLinkSecret();
  await tx
    .updateTable("subscribers")
    .set({ confirmation_sha256: hashLinkSecret(secret), confirmation_sent_at: now })
    .where("id", "=", id)
    .execute();
  const { name } = await tx
    .selectFrom("organisations")
    .select("name")
    .where("id", "=", actor.organisationId)
    .executeTakeFirstOrThrow();
  const reports = oneLine(`the reports of ${app.name}`);
  await queueMail(tx, config, {
    to,
    subject: `Confirm that you want ${reports}`,
    text: `${oneLine(`${actor.name} of ${name}`)} wants to send ${reports} to this address.\n\nTo agree, open\n${urls.base}/subscriptions/${secret}\nand choose "Confirm".\n\nThe link works for ${daysValid} days. If you do not want these e-mails, ignore this message.\n`,
  });
}

/**
 * Whether an address is the actor's and verified here. An address from an identity provider is not, since the
 * provider's operator can claim any.
 */
async function isOwnAddress(tx: Transaction, { userId }: Actor, address: string): Promise<boolean> {
  const { rows } = await sql`
    select from users
    where id = ${userId} and email = ${address.toLowerCase()} and email_verified_at is not null and provider_organisation_id is null`.execute(
    tx,
  );
  return rows.length > 0;
}

async function confirm(tx: Transaction, id: string, now: Date): Promise<void> {
  await tx
    .updateTable("subscribers")
    .set({ confirmed_at: now, confirmation_sha256: null, confirmation_sent_at: null })
    .where("id", "=", id)
    .execute();
  await enableSubscriber(tx, id);
}

/**
 * The subscription that a link confirms. Changes nothing, since e-mail scanners open links. Throws
 * `subscription_not_found`.
 */
export async function findSubscription(deps: Deps, secret: string): Promise<SubscriptionLink> {
  const { url, app, organisation } = await selectWaiting(deps, deps.db, secret);
  return { email: mailAddressOf(url ?? ""), appName: app, organisationName: organisation };
}

/** Confirms a subscriber, which then receives events. Throws `rate_limit_exceeded` or `subscription_not_found`. */
export async function confirmSubscription(deps: Deps, address: string, secret: string): Promise<void> {
  await limitComingIn(deps, address);
  await deps.db.transaction().execute(async (tx) => {
    const { id, organisation_id } = await selectWaiting(deps, tx, secret, true);
    await confirm(tx, id, deps.clock.now());
    await publish(tx, organisation_id, { kind: "subscribers.changed" });
  });
  deps.announceJobs();
}

async function selectWaiting({ clock }: Deps, db: Database | Transaction, secret: string, hold = false) {
  const found = await db
    .selectFrom("subscribers")
    .innerJoin("apps", "apps.id", "subscribers.app_id")
    .innerJoin("organisations", "organisations.id", "subscribers.organisation_id")
    .select(["subscribers.id", "subscribers.url", "subscribers.organisation_id"])
    .select(["apps.name as app", "organisations.name as organisation"])
    .where("confirmation_sha256", "=", hashLinkSecret(secret))
    .where("confirmed_at", "is", null)
    .where("subscribers.deleted_at", "is", null)
    .where("confirmation_sent_at", ">", new Date(clock.now().getTime() - daysValid * 86_400_000))
    .$if(hold, (query) => query.forUpdate("subscribers"))
    .executeTakeFirst();
  if (!found) throw new Refusal("subscription_not_found");
  return found;
}
