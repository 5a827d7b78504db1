import { createHash } from "node:crypto";

/** What is kept of the secret in an invitation's link. */
export const hashInvitationSecret = (secret: string): Buffer => createHash("sha256").update(secret).digest();
