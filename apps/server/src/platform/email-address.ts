import { emailPattern } from "@lodge/contract/text";

const address = new RegExp(emailPattern);

/**
 * Parses an e-mail address and converts it to lower case; undefined if it is invalid. Only accepts ASCII, for which
 * lower case is unambiguous: other Unicode characters also become "k".
 */
export const readEmailAddress = (text: string): string | undefined =>
  text.length <= 254 && address.test(text) ? text.toLowerCase() : undefined;
