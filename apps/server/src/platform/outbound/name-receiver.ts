import type { subscriberKinds } from "@lodge/contract/world";

/**
 * The public name of a subscriber: whoever knows the path of a chat's webhook can post to it. A webhook's messages are
 * signed, and an issue needs a token, so those paths are no secret; a query may hold one.
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
