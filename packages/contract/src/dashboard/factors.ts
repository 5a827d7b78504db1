import Type from "typebox";
import { passwordLengthMax } from "../limits.ts";
import { noContent, pathId } from "../operation.ts";
import { NullableTimestamp, Text } from "../text.ts";
import { Code } from "./access.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API for two-factor authentication. */

const closed = { additionalProperties: false } as const;

/** Whether the person has a second factor. */
export const SecondFactor = Type.Object(
  {
    since: NullableTimestamp("When time-based codes were turned on. Null if they are off."),
    recoveryCodesLeft: Type.Integer({ description: "The number of unused recovery codes." }),
  },
  { description: "The person's two-factor authentication." },
);
export type SecondFactor = Type.Static<typeof SecondFactor>;

/** The confirmation of a sensitive change. */
export const KnownPassword = Type.Object(
  { password: Text({ minLength: 1, maxLength: passwordLengthMax, description: "The password." }) },
  { ...closed, description: "The person's password." },
);
export type KnownPassword = Type.Static<typeof KnownPassword>;

/** The secret of time-based codes. */
export const NewTotp = Type.Object(
  {
    secret: Type.String({
      description: "The secret in base32, to type into an authenticator app. Returned only once.",
    }),
    uri: Type.String({ description: "The secret as the content of a QR code (`otpauth://totp/…`)." }),
  },
  { description: "The secret of time-based codes. Confirm it with a code." },
);
export type NewTotp = Type.Static<typeof NewTotp>;

/** The first code. */
export const ConfirmTotp = Type.Object({ code: Code }, { ...closed, description: "The first code of the app." });
export type ConfirmTotp = Type.Static<typeof ConfirmTotp>;

/** Recovery codes, each valid once instead of a time-based code. */
export const RecoveryCodes = Type.Object(
  { recoveryCodes: Type.Array(Type.String(), { description: "Ten recovery codes. Returned only once." }) },
  { description: "The recovery codes." },
);
export type RecoveryCodes = Type.Static<typeof RecoveryCodes>;

/** Whether members must set up two-factor authentication. */
export const SignInRules = Type.Object(
  {
    requiresSecondFactor: Type.Boolean({
      description: "Whether members must set up two-factor authentication before they can continue.",
    }),
  },
  { ...closed, description: "The sign-in rules of the organisation." },
);
export type SignInRules = Type.Static<typeof SignInRules>;

const memberPath = pathId("userId", "member_not_found", "The user id of the member.");

export const getSecondFactor = dashboard({
  id: "getSecondFactor",
  method: "GET",
  path: "/api/dashboard/profile/second-factor",
  role: "account",
  answers: { 200: SecondFactor },
  errors: [],
  summary: "Get your two-factor authentication",
});

export const beginTotp = dashboard({
  id: "beginTotp",
  method: "POST",
  path: "/api/dashboard/profile/totp",
  role: "account",
  body: KnownPassword,
  answers: { 201: NewTotp },
  errors: ["wrong_credentials", "second_factor_on"],
  summary: "Create a secret for time-based codes",
  description: "Signing in requires a code once you have confirmed the first one.",
});

export const confirmTotp = dashboard({
  id: "confirmTotp",
  method: "POST",
  path: "/api/dashboard/profile/totp/confirmation",
  role: "account",
  body: ConfirmTotp,
  answers: { 200: RecoveryCodes },
  errors: ["second_factor_not_begun", "second_factor_on", "wrong_code", "second_factor_unreadable"],
  summary: "Turn on time-based codes",
  description: "Ends all other sessions of the person.",
});

export const renewRecoveryCodes = dashboard({
  id: "renewRecoveryCodes",
  method: "POST",
  path: "/api/dashboard/profile/recovery-codes",
  role: "account",
  body: KnownPassword,
  answers: { 200: RecoveryCodes },
  errors: ["wrong_credentials", "second_factor_not_begun"],
  summary: "Create new recovery codes",
  description: "The earlier recovery codes stop working.",
});

export const removeOwnSecondFactor = dashboard({
  id: "removeOwnSecondFactor",
  method: "POST",
  path: "/api/dashboard/profile/second-factor/removal",
  role: "account",
  body: KnownPassword,
  answers: noContent,
  errors: ["wrong_credentials"],
  summary: "Turn off two-factor authentication",
});

export const removeMemberSecondFactor = dashboard({
  id: "removeMemberSecondFactor",
  method: "DELETE",
  path: "/api/dashboard/members/{userId}/second-factor",
  role: "admin",
  params: memberPath,
  answers: noContent,
  errors: ["member_not_found", "agent_is_fixed", "account_of_provider", "member_elsewhere"],
  summary: "Remove a member's second factor",
  description:
    "For members who lost their device and recovery codes. Owners can do this for everybody, admins only for people with the role member.",
});

export const getSignInRules = dashboard({
  id: "getSignInRules",
  method: "GET",
  path: "/api/dashboard/sign-in-rules",
  role: "admin",
  answers: { 200: SignInRules },
  errors: [],
  summary: "Get the sign-in rules",
  staleAfter: ["members.changed"],
});

export const changeSignInRules = dashboard({
  id: "changeSignInRules",
  method: "PATCH",
  path: "/api/dashboard/sign-in-rules",
  role: "owner",
  body: SignInRules,
  answers: { 200: SignInRules },
  errors: ["second_factor_needed"],
  summary: "Update the sign-in rules",
  description: "You can only require two-factor authentication if you use it yourself.",
});
