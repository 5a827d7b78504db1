import { createHmac, randomBytes } from "node:crypto";

const prefix = "whsec_";

/** The hours after a rotation during which the previous secret also signs, so that receivers can switch. */
export const overlapHours = 24;

/** A new signing secret: `whsec_` and 32 random bytes in base64 (contract section 1). */
export const makeSigningSecret = (): string => `${prefix}${randomBytes(32).toString("base64")}`;

/**
 * The signature headers of Standard Webhooks, with a signature for each valid secret, so that during a rotation
 * receivers can use either.
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
