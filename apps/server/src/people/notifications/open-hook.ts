import { type SealingKeys, unseal } from "../../platform/config/seal.ts";
import { openAddress } from "../../platform/outbound/receiver-address.ts";

/** The columns that are needed to send to a webhook of an organisation. */
export const hookColumns = ["id", "url", "sealed_url", "secret", "previous_secret", "previous_ends_at"] as const;
export type SealedHook = {
  id: string;
  url: string;
  sealed_url: string | null;
  secret: string;
  previous_secret: string | null;
  previous_ends_at: Date | null;
};

/** The address of a webhook and its live secrets, for one attempt. Throws `Unreadable`. */
export function openHook(sealing: SealingKeys, hook: SealedHook, now: Date) {
  const isRotating = hook.previous_ends_at !== null && hook.previous_ends_at > now;
  const secrets = [unseal(sealing, "organisation_hooks.secret", hook.id, hook.secret).toString()];
  if (isRotating && hook.previous_secret !== null) {
    secrets.push(unseal(sealing, "organisation_hooks.previous_secret", hook.id, hook.previous_secret).toString());
  }
  const url = openAddress(sealing, "organisation_hooks.sealed_url", hook);
  return { url, isUrlSecret: hook.sealed_url !== null, secrets };
}
