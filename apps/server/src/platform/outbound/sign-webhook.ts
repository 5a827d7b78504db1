import { createHmac, randomBytes } from "node:crypto";

const prefix = "whsec_";

/** For how many hours after a rotation the previous secret signs as well, so that the receiver can change over. */
export const overlapHours = 24;

/** A new signing secret: `whsec_` and 32 random bytes in base64 (contract section 1). */
export const makeSigningSecret = (): string => `${prefix}${randomBytes(32).toString("base64")}`;

/**
 * The headers that sign a message as Standard Webhooks has it: one signature for each live secret, so that a receiver may
 * know either of them while they are rotated.
 */
export function signatureHeaders(
  id: string,
  at: Date,
  body: Buffer,
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = `${Math.floor(at.getTime() / 1000)}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
