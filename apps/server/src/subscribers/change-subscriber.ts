import type { ChangeSubscriber, Subscriber } from "@lodge/contract/dashboard/subscribers";
import type { Actor } from "../access/find-actor.ts";
import type { Transaction } from "../platform/database/database.ts";
import type { Deps } from "../platform/deps.ts";
import { invalidInput } from "../platform/errors.ts";
import { changeSubscribers } from "./change-subscribers.ts";
import { findPlace, storedFilter, storedRate } from "./create-subscriber.ts";
import { disableSubscriber, enableSubscriber } from "./enable-subscriber.ts";
import { readSubscriber } from "./list-subscribers.ts";
import { requireReceiverUrl } from "./receiver-url.ts";

/**
 * Changes where a subscriber is told, or whether. What waits for it goes to the new place. Throws `subscriber_not_found`,
 * `column_not_found`, `subscriber_exists`, or `invalid_input` for what does not go with its kind.
 */
export async function changeSubscriber(
  deps: Deps,
  actor: Actor,
  subscriberId: string,
  input: ChangeSubscriber,
): Promise<Subscriber> {
  const { organisationId } = actor;
  const { subscriber } = await changeSubscribers(deps, actor, auditKind(input), async (tx) => {
    const before = await readSubscriber(deps, tx, organisationId, subscriberId);
    const { filter, perMinute, ordered } = input;
    const changed = {
      ...(await placeOf(tx, organisationId, before, input)),
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
    if (input.token !== undefined) await replaceToken(tx, before, input.token);
    if (input.enabled === true && !before.enabled) await enableSubscriber(tx, subscriberId);
    if (input.enabled === false && before.enabled) {
      await disableSubscriber(tx, subscriberId, `Paused by ${actor.name}.`);
    }
    return { subscriber: await readSubscriber(deps, tx, organisationId, subscriberId) };
  });
  deps.announceJobs();
  return subscriber;
}

const auditKind = ({ enabled }: ChangeSubscriber) =>
  enabled === undefined ? "subscriber.changed" : enabled ? "subscriber.enabled" : "subscriber.paused";

async function placeOf(
  tx: Transaction,
  organisationId: string,
  { kind }: Subscriber,
  { url, columnId }: ChangeSubscriber,
) {
  const strange = kind === "board" ? ({ url } as const) : ({ columnId } as const);
  for (const [field, value] of Object.entries(strange)) {
    if (value !== undefined) {
      throw invalidInput([{ path: `/${field}`, message: `does not go with the kind ${kind}` }]);
    }
  }
  if (columnId !== undefined) return findPlace(tx, organisationId, columnId);
  if (url === undefined || kind === "board") return undefined;
  requireReceiverUrl(kind, url);
  return { url };
}

async function replaceToken(tx: Transaction, { id, kind, app }: Subscriber, token: string): Promise<void> {
  if (kind !== "github") throw invalidInput([{ path: "/token", message: `does not go with the kind ${kind}` }]);
  await tx.deleteFrom("signing_secrets").where("app_id", "=", app.id).where("subscriber_id", "=", id).execute();
  await tx.insertInto("signing_secrets").values({ app_id: app.id, subscriber_id: id, secret: token }).execute();
}
