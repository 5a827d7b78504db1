import type { ChangeSubscriber, Subscriber } from "@lodge/contract/dashboard/subscribers";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput } from "../../platform/errors.ts";
import { placeOfUrl } from "../../platform/outbound/receiver-address.ts";
import { requireReceiverUrl } from "../../platform/outbound/receiver-url.ts";
import { changeSubscribers } from "./change-subscribers.ts";
import { askForConfirmation, holdForConfirmation } from "./confirm-subscriber.ts";
import { findPlace, storedFilter, storedRate } from "./create-subscriber.ts";
import { disableSubscriber, enableSubscriber } from "./enable-subscriber.ts";
import { keepSecret } from "./keep-secret.ts";
import { readSubscriber } from "./list-subscribers.ts";

/**
 * Changes, enables or disables a subscriber. Waiting deliveries go to the new address. Throws `subscriber_not_found`,
 * `column_not_found`, `subscriber_exists`, or `invalid_input` for fields that its kind does not have.
 */
export async function changeSubscriber(
  deps: Deps,
  actor: Actor,
  subscriberId: string,
  input: ChangeSubscriber,
): Promise<Subscriber> {
  const { organisationId } = actor;
  const { subscriber } = await changeSubscribers(deps, actor, auditKind(input), async (tx) => {
    await lockSubscriber(tx, organisationId, subscriberId);
    const before = await readSubscriber(deps, tx, organisationId, subscriberId);
    const { filter, perMinute, ordered } = input;
    const isNewAddress = before.kind === "email" && input.url !== undefined && input.url !== before.url;
    if (input.enabled === true && (before.waitsForConfirmation || isNewAddress)) {
      const message = "requires the address to be confirmed first, with the link in the e-mail";
      throw invalidInput([{ path: "/enabled", message }]);
    }
    const changed = {
      ...(await placeOf(deps, tx, organisationId, before, input)),
      ...(filter !== undefined && { filter: storedFilter(filter) }),
      ...(perMinute !== undefined && { per_minute: storedRate(before.kind, perMinute), slot_at: null }),
      ...(ordered !== undefined && { ordered }),
    };
    if (Object.keys(changed).length > 0) {
      await tx
        .updateTable("subscribers")
        .set(changed)
        .where("app_id", "=", before.app.id)
        .where("id", "=", subscriberId)
        .execute();
    }
    if (isNewAddress) {
      await disableSubscriber(tx, subscriberId, "Waiting for confirmation.");
      await holdForConfirmation(tx, deps.clock.now(), subscriberId);
      await askForConfirmation(tx, deps, actor, await readSubscriber(deps, tx, organisationId, subscriberId));
    }
    if (input.token !== undefined) await replaceToken(deps, tx, before, input.token);
    if (input.enabled === true && !before.enabled) await enableSubscriber(tx, subscriberId);
    if (input.enabled === false && before.enabled) {
      await disableSubscriber(tx, subscriberId, `Disabled by ${actor.name}.`);
    }
    return { subscriber: await readSubscriber(deps, tx, organisationId, subscriberId) };
  });
  deps.announceJobs();
  return subscriber;
}

/** The error for a missing token: a stored token is only sent to the repository that it was entered for. */
export const tokenOfOther = { path: "/token", message: "is required for a different `url`" };

const auditKind = ({ enabled }: ChangeSubscriber) =>
  enabled === undefined ? "subscriber.changed" : enabled ? "subscriber.enabled" : "subscriber.paused";

/** Locks the row before it is read: otherwise one of two concurrent changes could send the other's token elsewhere. */
async function lockSubscriber(tx: Transaction, organisationId: string, subscriberId: string): Promise<void> {
  await tx
    .selectFrom("subscribers")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("id", "=", subscriberId)
    .forUpdate()
    .execute();
}

async function placeOf(
  { sealing }: Deps,
  tx: Transaction,
  organisationId: string,
  { id, kind, url: before }: Subscriber,
  { url, columnId, token }: ChangeSubscriber,
) {
  const strange = kind === "board" ? ({ url } as const) : ({ columnId } as const);
  for (const [field, value] of Object.entries(strange)) {
    if (value !== undefined) {
      throw invalidInput([{ path: `/${field}`, message: `is not allowed for the kind ${kind}` }]);
    }
  }
  if (columnId !== undefined) return findPlace(tx, organisationId, columnId);
  if (url === undefined || kind === "board") return undefined;
  requireReceiverUrl(kind, url);
  if (kind === "github" && url !== before && token === undefined) throw invalidInput([tokenOfOther]);
  return placeOfUrl(() => sealing, id, kind, url);
}

async function replaceToken(
  { sealing }: Deps,
  tx: Transaction,
  { id, kind, app }: Subscriber,
  token: string,
): Promise<void> {
  if (kind !== "github") throw invalidInput([{ path: "/token", message: `is not allowed for the kind ${kind}` }]);
  await tx.deleteFrom("signing_secrets").where("app_id", "=", app.id).where("subscriber_id", "=", id).execute();
  await keepSecret(tx, sealing, app.id, id, token);
}
