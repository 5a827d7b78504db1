import { Unreadable } from "../config/seal.ts";
import type { Outcome } from "./send-message.ts";

/** An address, whether it is a secret itself, and what a message to it is signed or authorised with. */
type Opened = { url: string; isUrlSecret: boolean; secrets: readonly string[] };

/**
 * Sends with stored secrets that are decrypted for this one attempt. Receivers repeat what they were sent, in an answer or
 * as the place to go to: no secret is left in what is told of the attempt.
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
    const reason = "Its address or secret was encrypted with another LODGE_SECRET and must be entered again.";
    return { status: null, response: null, reason };
  }
  const outcome = await send(opened);
  const hide = (text: string | null) => text && hideSecrets(text, opened);
  return { ...outcome, response: hide(outcome.response), reason: hide(outcome.reason) };
}

/** So short a path or query is not a secret, and redacting it would remove ordinary text. */
const secretLengthMin = 6;

function hideSecrets(text: string, { url, isUrlSecret, secrets }: Opened): string {
  const { pathname, search } = new URL(url);
  const parts = isUrlSecret ? [`${pathname}${search}`, pathname, search] : [];
  return [...secrets, ...parts]
    .filter((part) => part.length >= secretLengthMin)
    .reduce((hidden, part) => hidden.replaceAll(part, "[hidden]"), text);
}
