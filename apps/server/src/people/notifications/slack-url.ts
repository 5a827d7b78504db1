import { type SealedColumn, type SealingKeys, seal, Unreadable, unseal } from "../../platform/config/seal.ts";

type Member = { organisationId: string; userId: string };

const column: SealedColumn = "notice_choices.slack_url";
const rowOf = ({ organisationId, userId }: Member) => `${organisationId} ${userId}`;

/** Encrypts a member's Slack address for storage. */
export const sealSlackUrl = (sealing: SealingKeys, member: Member, url: string): string =>
  seal(sealing, column, rowOf(member), url);

/** Decrypts the stored address. Throws `Unreadable`. */
export const openSlackUrl = (sealing: SealingKeys, member: Member, sealed: string): string =>
  unseal(sealing, column, rowOf(member), sealed).toString();

/** The same; null if it must be entered again. */
export function showSlackUrl(sealing: SealingKeys, member: Member, sealed: string): string | null {
  try {
    return openSlackUrl(sealing, member, sealed);
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}
