import { hash } from "node:crypto";
import type { EventSummary } from "./summarise-event.ts";

/** A user as problems count them. `level` is the number of leading zeros in the first 32 bits of the id. */
export type Person = { id: string; level: number };

/**
 * The user of an event: by user id, else e-mail address, else install; null if it names none. The migration
 * 0200_problem_users.sql computes the same.
 */
export function identifyPerson(
  appId: string,
  { userId, userEmail, install }: Pick<EventSummary, "userId" | "userEmail" | "install">,
): Person | null {
  const named = userId
    ? `id ${userId}`
    : userEmail
      ? `email ${userEmail.toLowerCase()}`
      : install && `install ${install}`;
  if (!named) return null;
  const digest = hash("sha256", `${appId} ${named}`, "buffer");
  const id = digest.toString("hex", 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  return { id, level: Math.clz32(digest.readUInt32BE(0)) };
}
