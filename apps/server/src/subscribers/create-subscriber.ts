import type { CreateSubscriber, NewSubscriber, SubscriberFilter } from "@lodge/contract/dashboard/subscribers";
import type { Actor } from "../access/find-actor.ts";
import type { Transaction } from "../platform/database/database.ts";
import type { Deps } from "../platform/deps.ts";
import { invalidInput, Refusal } from "../platform/errors.ts";
import { sendsMail } from "../platform/outbound/queue-mail.ts";
import { changeSubscribers } from "./change-subscribers.ts";
import { readSubscriber } from "./list-subscribers.ts";
import { requireReceiverUrl } from "./receiver-url.ts";
import { makeSigningSecret } from "./sign-webhook.ts";

/** Where nothing else is asked for: a flood of reports is none in a mailbox, nor in what others think of the mail server. */
const mailsPerMinute = 10;

/**
 * Makes a subscriber of an app, which is told of the events that are accepted from then on. Throws `app_not_found`,
 * `column_not_found`, `subscriber_exists`, or `invalid_input` for fields that do not go with its kind.
 */
export function createSubscriber(
  deps: Deps,
  actor: Actor,
  appId: string,
  input: CreateSubscriber,
): Promise<NewSubscriber> {
  requireFields(deps, input);
  const { kind, url, columnId, secret, token, filter = null, perMinute = null, ordered = false } = input;
  return changeSubscribers(deps, actor, "subscriber.created", async (tx) => {
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
    const place = columnId === undefined ? { url: url ?? "" } : await findPlace(tx, organisationId, columnId);
    const { id } = await tx
      .insertInto("subscribers")
      .values({
        organisation_id: organisationId,
        app_id: app.id,
        kind,
        filter: storedFilter(filter),
        per_minute: storedRate(kind, perMinute),
        ordered,
        ...place,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    const signing = kind === "webhook" ? (secret ?? makeSigningSecret()) : null;
    const kept = signing ?? token;
    if (kept !== undefined) {
      await tx.insertInto("signing_secrets").values({ app_id: app.id, subscriber_id: id, secret: kept }).execute();
    }
    return { subscriber: await readSubscriber(deps, tx, organisationId, id), secret: signing };
  });
}

/** The column of a board of the organisation that cards are to be filed on. Throws `column_not_found`. */
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

/** A rate as it is stored: e-mail always has one. */
export const storedRate = (kind: CreateSubscriber["kind"], perMinute: number | null): number | null =>
  perMinute ?? (kind === "email" ? mailsPerMinute : null);

/** A filter as it is stored: one that lets everything through is none. */
export const storedFilter = (filter: SubscriberFilter | null): string | null =>
  filter && Object.values(filter).some(Boolean) ? JSON.stringify(filter) : null;

/** Which fields go with which kind, which a schema of one object cannot say. */
function requireFields({ config }: Deps, { kind, url, columnId, secret, token }: CreateSubscriber) {
  const refuse = (field: string, message: string) => invalidInput([{ path: `/${field}`, message }]);
  const [wanted, strange] = kind === "board" ? (["columnId", "url"] as const) : (["url", "columnId"] as const);
  const fields = { url, columnId };
  if (fields[wanted] === undefined) throw refuse(wanted, "is required");
  if (fields[strange] !== undefined) throw refuse(strange, `does not go with the kind ${kind}`);
  if (secret !== undefined && kind !== "webhook") throw refuse("secret", `does not go with the kind ${kind}`);
  if (kind === "github" && token === undefined) throw refuse("token", "is required");
  if (kind !== "github" && token !== undefined) throw refuse("token", `does not go with the kind ${kind}`);
  if (kind === "email" && !sendsMail(config)) throw refuse("kind", "needs e-mail, which this deployment does not send");
  if (url !== undefined && kind !== "board") requireReceiverUrl(kind, url);
}
