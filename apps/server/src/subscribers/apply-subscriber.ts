import type { subscriberKinds } from "@lodge/contract/world";
import type { Transaction } from "../platform/database/database.ts";
import { makeSigningSecret } from "./sign-webhook.ts";

/** Who is to be told: an address, or a column of a board. */
export type Receiver =
  | { kind: Exclude<(typeof subscriberKinds)[number], "board">; url: string }
  | { kind: "board"; boardId: string; columnId: string };

/**
 * Makes a subscriber of an app, or moves a board's to another column. Keyed by kind and url, or kind and board.
 * `secret` is what a webhook's messages are signed with, in the run that made it and null afterwards.
 */
export async function applySubscriber(
  tx: Transaction,
  organisationId: string,
  appId: string,
  receiver: Receiver,
): Promise<{ id: string; kind: string; secret: string | null }> {
  const { kind } = receiver;
  const place = kind === "board" ? { board_id: receiver.boardId, column_id: receiver.columnId } : { url: receiver.url };
  const found = await tx
    .selectFrom("subscribers")
    .select("id")
    .where("app_id", "=", appId)
    .where("kind", "=", kind)
    .where("deleted_at", "is", null)
    .where((where) => (kind === "board" ? where("board_id", "=", receiver.boardId) : where("url", "=", receiver.url)))
    .executeTakeFirst();
  if (found) {
    await tx.updateTable("subscribers").set(place).where("app_id", "=", appId).where("id", "=", found.id).execute();
    return { id: found.id, kind, secret: null };
  }
  const { id } = await tx
    .insertInto("subscribers")
    .values({ organisation_id: organisationId, app_id: appId, kind, ...place })
    .returning("id")
    .executeTakeFirstOrThrow();
  if (kind !== "webhook") return { id, kind, secret: null };
  const secret = makeSigningSecret();
  await tx.insertInto("signing_secrets").values({ app_id: appId, subscriber_id: id, secret }).execute();
  return { id, kind, secret };
}
