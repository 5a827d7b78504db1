import { Unreadable } from "../config/seal.ts";
import type { Outcome } from "./send-message.ts";

/** A decrypted address, whether it is itself secret, and the secrets that sign or authorise a message to it. */
type Opened = { url: string; isUrlSecret: boolean; secrets: readonly string[] };

/**
 * Sends a message with stored secrets, which are decrypted for this attempt only. Redacts them in the outcome, since
 * receivers may repeat them in a response or a redirect.
 */
export async function sendOpened<T extends Opened>(
  open: () => T,
  send: (opened: T) => Promise<Outcome>,
): Promise<Outcome> {
  let opened: T;
  try {
    opened = open();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const reason = "Its URL or secret was encrypted with another LODGE_SECRET and must be entered again.";
    return { status: null, response: null, reason };
  }
  const outcome = await send(opened);
  const hide = (text: string | null) => text && hideSecrets(text, opened);
  return { ...outcome, response: hide(outcome.response), reason: hide(outcome.reason) };
}

/** A shorter path or query is not secret, and redacting it would remove ordinary text. */
const secretLengthMin = 6;

function hideSecrets(text: string, { url, isUrlSecret, secrets }: Opened): string {
  const { pathname, search } = new URL(url);
  const parts = isUrlSecret ? [`${pathname}${search}`, pathname, search] : [];
  return [...secrets, ...parts]
    .filter((part) => part.length >= secretLengthMin)
    .reduce((hidden, part) => hidden.replaceAll(part, "[hidden]"), text);
}
