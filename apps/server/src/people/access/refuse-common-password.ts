import { passwordLengthMin } from "@lodge/contract/limits";
import { invalidInput } from "../../platform/errors.ts";

let loading: Promise<ReadonlySet<string>> | undefined;

/**
 * Refuses a new password that is among the most common ones in leaks, in any letter case: attackers try those first.
 * Throws `invalid_input`.
 */
export async function refuseCommonPassword(password: string): Promise<void> {
  loading ??= loadCommonPasswords();
  if ((await loading).has(password.toLowerCase())) {
    const message = "must not be a common password: it is one of the first that an attacker tries";
    throw invalidInput([{ path: "/password", message }]);
  }
}

/** Loaded at first use: it takes a tenth of a second and 20 MB. Shorter passwords are refused by their length. */
async function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import("@zxcvbn-ts/language-common");
  return new Set(
    dictionary["passwords-common"].filter((password) => String(password).length >= passwordLengthMin).map(String),
  );
}
