import { invalidInput } from "../platform/errors.ts";

/** Whether messages can be sent to an address: http or https, without a user name. */
export function isReceiverUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ["http:", "https:"].includes(url.protocol) && !url.username && !url.password;
}

/** Throws `invalid_input` for any other. */
export function requireReceiverUrl(text: string): void {
  if (isReceiverUrl(text)) return;
  throw invalidInput([{ path: "/url", message: "must be an http:// or https:// address without a user name" }]);
}
