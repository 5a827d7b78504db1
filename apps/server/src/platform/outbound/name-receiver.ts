import type { subscriberKinds } from "@lodge/contract/world";

/**
 * The public name of a subscriber. The path of a chat's webhook is secret, since it is enough to post messages. Other
 * paths are public, because webhooks are signed and issues need a token; a query may contain a secret.
 */
export function nameReceiver(
  kind: (typeof subscriberKinds)[number],
  url: string | null,
  boardName: string | null,
): string {
  if (url === null) return boardName ?? "";
  const { origin, pathname } = new URL(url);
  if (kind === "email") return pathname;
  return kind === "webhook" || kind === "github" ? `${origin}${pathname}` : origin;
}
