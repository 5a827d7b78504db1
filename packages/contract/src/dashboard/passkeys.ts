import Type from "typebox";
import { nameLengthMax } from "../limits.ts";
import { noContent, pathId } from "../operation.ts";
import { NullableTimestamp, Text, Timestamp, Uuid, VisibleText } from "../text.ts";
import { Session } from "./access.ts";
import { KnownPassword } from "./factors.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API: passkeys, by which people sign in without a password (Web Authentication, level 3). */

const closed = { additionalProperties: false } as const;
const bytes = (maxLength: number) => Text({ minLength: 1, maxLength, description: "Bytes in base64url." });

const PasskeyName = VisibleText({ maxLength: nameLengthMax, description: "What the person calls it." });

/** A passkey of the person's. */
export const Passkey = Type.Object(
  {
    id: Uuid("The passkey."),
    name: Type.String({ description: "What the person calls it." }),
    createdAt: Timestamp("When it was made."),
    usedAt: NullableTimestamp("When somebody signed in with it last; null for never."),
  },
  { description: "A passkey of the person's." },
);
export type Passkey = Type.Static<typeof Passkey>;

/** Every passkey of the person's. */
export const PasskeyList = Type.Object(
  { passkeys: Type.Array(Passkey, { description: "In the order in which they were made; at most 20." }) },
  { description: "The person's passkeys." },
);
export type PasskeyList = Type.Static<typeof PasskeyList>;

/** What a browser is asked with. */
export const PasskeyOptions = Type.Object(
  {
    options: Type.Unsafe<Record<string, unknown>>({
      type: "object",
      description: "`publicKey` of `navigator.credentials.create` or `.get`, as `parse…OptionsFromJSON` takes it.",
    }),
  },
  { description: "What the browser is asked with, once and within five minutes." },
);
export type PasskeyOptions = Type.Static<typeof PasskeyOptions>;

/** What a browser has answered (`PublicKeyCredential.toJSON`). */
const Credential = Type.Object(
  {
    id: bytes(1_400),
    rawId: bytes(1_400),
    type: Type.Literal("public-key"),
    response: Type.Object({ clientDataJSON: bytes(3_000) }, { description: "What the authenticator has signed." }),
    clientExtensionResults: Type.Object({}, { description: "What extensions have answered." }),
  },
  { description: "What the browser has answered, as `PublicKeyCredential.toJSON` has it." },
);

/** A passkey to keep. */
export const AddPasskey = Type.Object(
  {
    name: PasskeyName,
    credential: Credential,
  },
  { ...closed, description: "A passkey to keep." },
);
export type AddPasskey = Type.Static<typeof AddPasskey>;

/** What to change of a passkey. */
export const ChangePasskey = Type.Object(
  { name: PasskeyName },
  { ...closed, description: "What to change of a passkey." },
);
export type ChangePasskey = Type.Static<typeof ChangePasskey>;

/** A passkey that was kept. */
export const AddedPasskey = Type.Object(
  {
    passkey: Passkey,
    recoveryCodes: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: "Codes for recovery, shown this once; null for who had a second factor already.",
    }),
  },
  { description: "A passkey that was kept." },
);
export type AddedPasskey = Type.Static<typeof AddedPasskey>;

/** Who signs in with a passkey. */
export const SignInByPasskey = Type.Object(
  { credential: Credential },
  { ...closed, description: "Who signs in with a passkey." },
);
export type SignInByPasskey = Type.Static<typeof SignInByPasskey>;

const passkeyPath = pathId("passkeyId", "passkey_not_found", "The passkey.");

export const listPasskeys = dashboard({
  id: "listPasskeys",
  method: "GET",
  path: "/api/dashboard/profile/passkeys",
  role: "account",
  answers: { 200: PasskeyList },
  errors: [],
  summary: "List one's passkeys",
});

export const beginPasskey = dashboard({
  id: "beginPasskey",
  method: "POST",
  path: "/api/dashboard/profile/passkeys/options",
  role: "account",
  body: KnownPassword,
  answers: { 200: PasskeyOptions },
  errors: ["wrong_credentials", "too_many"],
  summary: "Begin to make a passkey",
});

export const addPasskey = dashboard({
  id: "addPasskey",
  method: "POST",
  path: "/api/dashboard/profile/passkeys",
  role: "account",
  body: AddPasskey,
  answers: { 201: AddedPasskey },
  errors: ["passkey_refused", "too_many"],
  summary: "Keep a passkey",
  description:
    "From the first one on the password alone signs in no more: it takes a passkey, a code of an app, or one for recovery. Ends every other session of who had no second factor.",
});

export const changePasskey = dashboard({
  id: "changePasskey",
  method: "PATCH",
  path: "/api/dashboard/profile/passkeys/{passkeyId}",
  role: "account",
  params: passkeyPath,
  body: ChangePasskey,
  answers: { 200: Passkey },
  errors: ["passkey_not_found"],
  summary: "Rename a passkey",
});

export const removePasskey = dashboard({
  id: "removePasskey",
  method: "POST",
  path: "/api/dashboard/profile/passkeys/{passkeyId}/removal",
  role: "account",
  params: passkeyPath,
  body: KnownPassword,
  answers: noContent,
  errors: ["wrong_credentials", "passkey_not_found"],
  summary: "Remove a passkey",
});

export const beginPasskeySignIn = dashboard({
  id: "beginPasskeySignIn",
  method: "POST",
  path: "/api/dashboard/passkey-sign-ins",
  role: "everybody",
  answers: { 200: PasskeyOptions },
  errors: ["rate_limit_exceeded"],
  summary: "Begin to sign in with a passkey",
});

export const finishPasskeySignIn = dashboard({
  id: "finishPasskeySignIn",
  method: "POST",
  path: "/api/dashboard/passkey-sign-ins/completion",
  role: "everybody",
  body: SignInByPasskey,
  answers: { 200: Session },
  errors: ["passkey_refused", "rate_limit_exceeded"],
  summary: "Sign in with a passkey",
  description: "It stands for password and second factor: its device has checked who holds it.",
});
