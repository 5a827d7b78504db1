import { emailPattern } from "@lodge/contract/text";

const address = new RegExp(emailPattern);

/**
 * An e-mail address in lower case; undefined for anything else. Only ASCII is taken, so that lower case means the same
 * everywhere: Unicode has other characters that become a "k".
 */
export const readEmailAddress = (text: string): string | undefined =>
  text.length <= 254 && address.test(text) ? text.toLowerCase() : undefined;
