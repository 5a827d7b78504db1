import { createHmac, timingSafeEqual } from "node:crypto";
import { deriveKey } from "../../platform/config/derive-key.ts";
import type { Deps } from "../../platform/deps.ts";

/** The time for which a link works after it was sent to a receiver. */
const linkLifeMs = 7 * 86_400_000;

/**
 * The target of a link: an attachment by its position in the envelope, the envelope itself, or what it was translated
 * from.
 */
export type Linked = { appId: string; eventId: string; part: string };

/** The part of a link that leads to the envelope. */
export const envelopePart = "envelope";

/** The part of a link that leads to an event as a client of Sentry's sent it. */
export const originalPart = "original";

/**
 * An absolute address that serves the bytes as a download until it expires, to anybody who knows it: at the public
 * address of ingestion, or at another one of this server's.
 */
export function makeLink({ secret, urls, clock }: Deps, linked: Linked, origin = urls.ingest): string {
  const expires = Math.floor((clock.now().getTime() + linkLifeMs) / 1000);
  const query = `expires=${expires}&signature=${sign(secret, linked, expires).toString("base64url")}`;
  return `${origin}/api/artifacts/${linked.appId}/${linked.eventId}/${linked.part}?${query}`;
}

/** Whether a link was made here, and whether its time is over. */
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
 * A text in which no link works: its signature is struck out, also where the text is JSON, HTML or an address that has
 * escaped the sign before it.
 */
export const hideSignatures = <T extends string | null>(text: T) =>
  (text?.replace(/(signature(?:=|%3d|\\+u003d|&#x0*3d;|&#0*61;|&equals;))[\w-]+/gi, "$1[hidden]") ?? null) as T;

const sign = (secret: string, { appId, eventId, part }: Linked, expires: number): Buffer =>
  createHmac("sha256", deriveKey(secret, "artifact links")).update(`${appId}/${eventId}/${part}/${expires}`).digest();
