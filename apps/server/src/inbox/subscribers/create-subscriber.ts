import type { CreateSubscriber, NewSubscriber, SubscriberFilter } from "@lodge/contract/dashboard/subscribers";
import { mailsPerMinuteMax } from "@lodge/contract/limits";
import type { Actor } from "../../people/access/find-actor.ts";
import { makeId, type Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput, Refusal } from "../../platform/errors.ts";
import { sendsMail } from "../../platform/outbound/queue-mail.ts";
import { type Addressed, placeOfUrl } from "../../platform/outbound/receiver-address.ts";
import { requireReceiverUrl } from "../../platform/outbound/receiver-url.ts";
import { makeSigningSecret } from "../../platform/outbound/sign-webhook.ts";
import { changeSubscribers } from "./change-subscribers.ts";
import { askForConfirmation, unconfirmed } from "./confirm-subscriber.ts";
import { keepSecret } from "./keep-secret.ts";
import { readSubscriber } from "./list-subscribers.ts";

/** The default rate limit: a flood of reports must not flood a mailbox or ruin the mail server's reputation. */
export const mailsPerMinute = 10;

/**
 * Creates a subscriber of an app, which receives events accepted from then on. Throws `app_not_found`,
 * `column_not_found`, `subscriber_exists`, or `invalid_input` for fields that its kind does not have.
 */
export async function createSubscriber(
  deps: Deps,
  actor: Actor,
  appId: string,
  input: CreateSubscriber,
): Promise<NewSubscriber> {
  requireFields(deps, input);
  const { kind, url, columnId, secret, token, filter = null, perMinute = null, ordered = false } = input;
  const made = await changeSubscribers(deps, actor, "subscriber.created", async (tx) => {
    const { organisationId } = actor;
    const app = await tx
      .selectFrom("apps")
      .select("id")
      .where("organisation_id", "=", organisationId)
      .where("id", "=", appId)
      .where("deleted_at", "is", null)
      .forKeyShare()
      .executeTakeFirst();
    if (!app) throw new Refusal("app_not_found");
    const id = await makeId(tx);
    const place =
      columnId === undefined
        ? placeOfUrl(() => deps.sealing, id, kind as Addressed, url ?? "")
        : await findPlace(tx, organisationId, columnId);
    await tx
      .insertInto("subscribers")
      .values({
        organisation_id: organisationId,
        app_id: app.id,
        id,
        kind,
        filter: storedFilter(filter),
        per_minute: storedRate(kind, perMinute),
        ordered,
        ...place,
        ...(kind === "email" && unconfirmed(deps.clock.now())),
      })
      .execute();
    const signing = kind === "webhook" ? (secret ?? makeSigningSecret()) : null;
    const kept = signing ?? token;
    if (kept !== undefined) await keepSecret(tx, deps.sealing, app.id, id, kept);
    const subscriber = await readSubscriber(deps, tx, organisationId, id);
    if (kind !== "email") return { subscriber, secret: signing };
    await askForConfirmation(tx, deps, actor, subscriber);
    return { subscriber: await readSubscriber(deps, tx, organisationId, id), secret: signing };
  });
  deps.announceJobs();
  return made;
}

/** The column of the organisation on which a board's cards are filed. Throws `column_not_found`. */
export async function findPlace(tx: Transaction, organisationId: string, columnId: string) {
  const column = await tx
    .selectFrom("columns")
    .select(["id", "board_id"])
    .where("organisation_id", "=", organisationId)
    .where("id", "=", columnId)
    .forKeyShare()
    .executeTakeFirst();
  if (!column) throw new Refusal("column_not_found");
  return { board_id: column.board_id, column_id: column.id };
}

/** The rate limit to store: e-mail always has one. */
export const storedRate = (kind: CreateSubscriber["kind"], perMinute: number | null): number | null =>
  kind === "email" ? Math.min(perMinute ?? mailsPerMinute, mailsPerMinuteMax) : perMinute;

/** The filter to store: null if it matches everything. */
export const storedFilter = (filter: SubscriberFilter | null): string | null =>
  filter && Object.values(filter).some(Boolean) ? JSON.stringify(filter) : null;

/** Checks which fields belong to a kind, which the schema of one object cannot express. */
function requireFields({ config }: Deps, { kind, url, columnId, secret, token }: CreateSubscriber) {
  const refuse = (field: string, message: string) => invalidInput([{ path: `/${field}`, message }]);
  const [wanted, unexpected] = kind === "board" ? (["columnId", "url"] as const) : (["url", "columnId"] as const);
  const fields = { url, columnId };
  if (fields[wanted] === undefined) throw refuse(wanted, "is required");
  if (fields[unexpected] !== undefined) throw refuse(unexpected, `is not allowed for the kind ${kind}`);
  if (secret !== undefined && kind !== "webhook") throw refuse("secret", `is not allowed for the kind ${kind}`);
  if (kind === "github" && token === undefined) throw refuse("token", "is required");
  if (kind !== "github" && token !== undefined) throw refuse("token", `is not allowed for the kind ${kind}`);
  if (kind === "email" && !sendsMail(config))
    throw refuse("kind", "is not available: this server does not send e-mail");
  if (url !== undefined && kind !== "board") requireReceiverUrl(kind, url);
}
