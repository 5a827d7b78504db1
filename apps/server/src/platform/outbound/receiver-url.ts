import type { subscriberKinds } from "@lodge/contract/world";
import { invalidInput } from "../errors.ts";

type Kind = Exclude<(typeof subscriberKinds)[number], "board">;

const isHttpUrl = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && ["http:", "https:"].includes(url.protocol) && !url.username && !url.password;
};
/** Whether a text is a mailto: URL (RFC 6068) with one address, without a name or message fields. */
const isMailUrl = (text: string): boolean =>
  /^mailto:[^\s@<>(),;:"\\?%&]{1,64}@[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(text);
const isRepositoryUrl = (text: string): boolean =>
  isHttpUrl(text) && /^\/[\w.-]+\/[\w.-]+\/?$/.test(URL.parse(text)?.pathname ?? "");

const rules: Partial<Record<Kind, { fits: (text: string) => boolean; rule: string }>> = {
  email: { fits: isMailUrl, rule: "must be mailto: and one e-mail address" },
  github: { fits: isRepositoryUrl, rule: "must be the URL of a repository, like https://github.com/owner/name" },
};
const anyOther = { fits: isHttpUrl, rule: "must be an http:// or https:// URL without a user name" };

/** The problem with a subscriber's address for its kind; undefined if it is valid. */
export function refusalOfReceiverUrl(kind: Kind, text: string): string | undefined {
  const { fits, rule } = rules[kind] ?? anyOther;
  return fits(text) ? undefined : rule;
}

/** Throws `invalid_input` for an address that is invalid for the kind. */
export function requireReceiverUrl(kind: Kind, text: string): void {
  const message = refusalOfReceiverUrl(kind, text);
  if (message !== undefined) throw invalidInput([{ path: "/url", message }]);
}
