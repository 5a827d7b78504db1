import { createHmac, timingSafeEqual } from "node:crypto";
import { deriveKey } from "../../platform/config/derive-key.ts";
import type { Deps } from "../../platform/deps.ts";

/** The lifetime of a link, from when it was sent to a receiver. */
const linkLifeMs = 7 * 86_400_000;

/**
 * The target of a link: an attachment (by its position in the envelope), the envelope, or the original from which it
 * was translated.
 */
export type Linked = { appId: string; eventId: string; part: string };

/** The `part` of a link to the envelope. */
export const envelopePart = "envelope";

/** The `part` of a link to the event as a Sentry client sent it. */
export const originalPart = "original";

/**
 * A URL that serves the bytes as a download to anybody who has it, until it expires. `origin` is the public URL of
 * ingestion, or another one of this server.
 */
export function makeLink({ secret, urls, clock }: Deps, linked: Linked, origin = urls.ingest): string {
  const expires = Math.floor((clock.now().getTime() + linkLifeMs) / 1000);
  const query = `expires=${expires}&signature=${sign(secret, linked, expires).toString("base64url")}`;
  return `${origin}/api/artifacts/${linked.appId}/${linked.eventId}/${linked.part}?${query}`;
}

/** Checks the signature and the expiry of a link. */
export function judgeLink(
  { secret, clock }: Deps,
  linked: Linked,
  expires: number,
  signature: string,
): "valid" | "forged" | "expired" {
  const expected = sign(secret, linked, expires);
  const given = Buffer.from(signature, "base64url");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return "forged";
  return clock.now().getTime() < expires * 1000 ? "valid" : "expired";
}

/**
 * Removes the signatures of links from a text, so that they no longer work. Also finds them in JSON, HTML and URLs,
 * where the equals sign is escaped.
 */
export const hideSignatures = <T extends string | null>(text: T) =>
  (text?.replace(/(signature(?:=|%3d|\\+u003d|&#x0*3d;|&#0*61;|&equals;))[\w-]+/gi, "$1[hidden]") ?? null) as T;

const sign = (secret: string, { appId, eventId, part }: Linked, expires: number): Buffer =>
  createHmac("sha256", deriveKey(secret, "artifact links")).update(`${appId}/${eventId}/${part}/${expires}`).digest();
