import Type from "typebox";
import { passwordLengthMax } from "../limits.ts";
import { noContent, pathId } from "../operation.ts";
import { NullableTimestamp, Text } from "../text.ts";
import { Code } from "./access.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API: a second factor beside the password, and organisations that require one. */

const closed = { additionalProperties: false } as const;

/** Whether the person has a second factor. */
export const SecondFactor = Type.Object(
  {
    since: NullableTimestamp("Since when signing in takes a time-based code; null where it does not."),
    recoveryCodesLeft: Type.Integer({ description: "Codes for recovery that were not used." }),
  },
  { description: "The person's second factor." },
);
export type SecondFactor = Type.Static<typeof SecondFactor>;

/** What only somebody does who knows the password as well. */
export const KnownPassword = Type.Object(
  { password: Text({ minLength: 1, maxLength: passwordLengthMax, description: "The password." }) },
  { ...closed, description: "The person's password." },
);
export type KnownPassword = Type.Static<typeof KnownPassword>;

/** The secret of time-based codes. */
export const NewTotp = Type.Object(
  {
    secret: Type.String({ description: "In base32, to type into an authenticator app. Shown this once." }),
    uri: Type.String({ description: "The same as the app takes it from a QR code (`otpauth://totp/…`)." }),
  },
  { description: "The secret of time-based codes, to be confirmed by one of them." },
);
export type NewTotp = Type.Static<typeof NewTotp>;

/** The first code. */
export const ConfirmTotp = Type.Object({ code: Code }, { ...closed, description: "The first code." });
export type ConfirmTotp = Type.Static<typeof ConfirmTotp>;

/** What stands in for a time-based code, each once. */
export const RecoveryCodes = Type.Object(
  { recoveryCodes: Type.Array(Type.String(), { description: "Ten of them. Shown this once." }) },
  { description: "Codes for recovery." },
);
export type RecoveryCodes = Type.Static<typeof RecoveryCodes>;

/** Whether members must have a second factor. */
export const SignInRules = Type.Object(
  {
    requiresSecondFactor: Type.Boolean({
      description: "Whether members without one are let into their profile alone.",
    }),
  },
  { ...closed, description: "How members sign in." },
);
export type SignInRules = Type.Static<typeof SignInRules>;

const memberPath = pathId("userId", "member_not_found", "The member's user.");

export const getSecondFactor = dashboard({
  id: "getSecondFactor",
  method: "GET",
  path: "/api/dashboard/profile/second-factor",
  role: "account",
  answers: { 200: SecondFactor },
  errors: [],
  summary: "Say whether one has a second factor",
});

export const beginTotp = dashboard({
  id: "beginTotp",
  method: "POST",
  path: "/api/dashboard/profile/totp",
  role: "account",
  body: KnownPassword,
  answers: { 201: NewTotp },
  errors: ["wrong_credentials", "second_factor_on"],
  summary: "Make the secret of time-based codes",
  description: "They count once one of them is entered.",
});

export const confirmTotp = dashboard({
  id: "confirmTotp",
  method: "POST",
  path: "/api/dashboard/profile/totp/confirmation",
  role: "account",
  body: ConfirmTotp,
  answers: { 200: RecoveryCodes },
  errors: ["second_factor_not_begun", "second_factor_on", "wrong_code", "second_factor_unreadable"],
  summary: "Have time-based codes count",
  description: "Ends every other session of the person.",
});

export const renewRecoveryCodes = dashboard({
  id: "renewRecoveryCodes",
  method: "POST",
  path: "/api/dashboard/profile/recovery-codes",
  role: "account",
  body: KnownPassword,
  answers: { 200: RecoveryCodes },
  errors: ["wrong_credentials", "second_factor_not_begun"],
  summary: "Make new codes for recovery",
  description: "Earlier ones are worth nothing any more.",
});

export const removeOwnSecondFactor = dashboard({
  id: "removeOwnSecondFactor",
  method: "POST",
  path: "/api/dashboard/profile/second-factor/removal",
  role: "account",
  body: KnownPassword,
  answers: noContent,
  errors: ["wrong_credentials"],
  summary: "Sign in without a second factor again",
});

export const removeMemberSecondFactor = dashboard({
  id: "removeMemberSecondFactor",
  method: "DELETE",
  path: "/api/dashboard/members/{userId}/second-factor",
  role: "admin",
  params: memberPath,
  answers: noContent,
  errors: ["member_not_found", "agent_is_fixed", "member_elsewhere"],
  summary: "Take away a member's second factor",
  description: "For who has lost it with the codes for recovery. Owners for everybody, admins for members alone.",
});

export const getSignInRules = dashboard({
  id: "getSignInRules",
  method: "GET",
  path: "/api/dashboard/sign-in-rules",
  role: "admin",
  answers: { 200: SignInRules },
  errors: [],
  summary: "Say how members sign in",
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
  summary: "Change how members sign in",
  description: "Only who has a second factor can require one.",
});
