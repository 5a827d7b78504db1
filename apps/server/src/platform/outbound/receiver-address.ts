import { hash } from "node:crypto";
import type { subscriberKinds } from "@lodge/contract/world";
import { type SealedColumn, type SealingKeys, seal, Unreadable, unseal } from "../config/seal.ts";
import { nameReceiver } from "./name-receiver.ts";

/** A kind of subscriber with an address. */
export type Addressed = Exclude<(typeof subscriberKinds)[number], "board">;
type Stored = { id: string; url: string; sealed_url: string | null };

/** The hash for looking up an encrypted address. */
export const hashAddress = (url: string): Buffer => hash("sha256", url, "buffer");

/**
 * The columns of a stored address: `url` is the public part. If the address has a secret part (the path of a chat's
 * webhook, or a query), the whole address is also stored encrypted.
 */
export function sealAddress(
  sealing: () => SealingKeys,
  column: SealedColumn,
  id: string,
  kind: Addressed,
  url: string,
) {
  const shown = hasSecret(kind, url) ? nameReceiver(kind, url, null) : url;
  return { url: shown, sealed_url: shown === url ? null : seal(sealing(), column, id, url) };
}

/** The columns of a subscriber's address. */
export const placeOfUrl = (sealing: () => SealingKeys, id: string, kind: Addressed, url: string) => ({
  ...sealAddress(sealing, "subscribers.sealed_url", id, kind, url),
  url_sha256: hashAddress(url),
});

/** The full stored address. Throws `Unreadable`. */
export const openAddress = (sealing: SealingKeys, column: SealedColumn, { id, url, sealed_url }: Stored): string =>
  sealed_url === null ? url : unseal(sealing, column, id, sealed_url).toString();

function hasSecret(kind: Addressed, text: string): boolean {
  if (kind === "email" || kind === "github") return false;
  const { pathname, search, hash: fragment } = new URL(text);
  return search !== "" || fragment !== "" || (kind !== "webhook" && pathname !== "/");
}

/** The full stored address, or its public part if it cannot be decrypted. */
export function showAddress(sealing: SealingKeys, column: SealedColumn, stored: Stored): string {
  try {
    return openAddress(sealing, column, stored);
  } catch (error) {
    if (error instanceof Unreadable) return stored.url;
    throw error;
  }
}
