import type { subscriberKinds } from "@lodge/contract/world";
import type { SealingKeys } from "../../platform/config/seal.ts";
import { makeId, type Transaction } from "../../platform/database/database.ts";
import { OperatorError } from "../../platform/errors.ts";
import { hashAddress, placeOfUrl } from "../../platform/outbound/receiver-address.ts";
import { makeSigningSecret } from "../../platform/outbound/sign-webhook.ts";
import { unconfirmed } from "./confirm-subscriber.ts";
import { mailsPerMinute } from "./create-subscriber.ts";
import { keepSecret } from "./keep-secret.ts";

/** The target of a subscriber: an address, or a column of a board. */
export type Receiver =
  | { kind: Exclude<(typeof subscriberKinds)[number], "board">; url: string }
  | { kind: "board"; boardId: string; columnId: string };

/**
 * Creates a subscriber of an app, or moves a board's to another column. Identified by kind and URL, or by kind and
 * board. An e-mail subscriber waits until the owner of its address confirms it. A subscriber with a secret needs
 * `sealing`. `secret` is a webhook's signing secret in the run that created it, and null afterwards.
 */
export async function applySubscriber(
  tx: Transaction,
  organisationId: string,
  appId: string,
  receiver: Receiver,
  sealing: SealingKeys | undefined,
): Promise<{ id: string; kind: string; secret: string | null }> {
  const { kind } = receiver;
  const found = await tx
    .selectFrom("subscribers")
    .select("id")
    .where("app_id", "=", appId)
    .where("kind", "=", kind)
    .where("deleted_at", "is", null)
    .where((where) =>
      kind === "board" ? where("board_id", "=", receiver.boardId) : where("url_sha256", "=", hashAddress(receiver.url)),
    )
    .executeTakeFirst();
  if (found) {
    if (kind === "board") {
      const { columnId: column_id } = receiver;
      await tx
        .updateTable("subscribers")
        .set({ column_id })
        .where("app_id", "=", appId)
        .where("id", "=", found.id)
        .execute();
    }
    return { id: found.id, kind, secret: null };
  }
  const keys = () => {
    if (sealing) return sealing;
    throw new OperatorError("Set LODGE_SECRET to the value that the servers use: it encrypts the subscriber's secret.");
  };
  const id = await makeId(tx);
  const place =
    kind === "board"
      ? { board_id: receiver.boardId, column_id: receiver.columnId }
      : placeOfUrl(keys, id, kind, receiver.url);
  await tx
    .insertInto("subscribers")
    .values({
      organisation_id: organisationId,
      app_id: appId,
      id,
      kind,
      ...place,
      ...(kind === "email" && { ...unconfirmed(new Date()), per_minute: mailsPerMinute }),
    })
    .execute();
  if (kind !== "webhook") return { id, kind, secret: null };
  const secret = makeSigningSecret();
  await keepSecret(tx, keys(), appId, id, secret);
  return { id, kind, secret };
}
