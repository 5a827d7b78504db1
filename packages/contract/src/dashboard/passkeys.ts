import Type from "typebox";
import { nameLengthMax } from "../limits.ts";
import { noContent, pathId } from "../operation.ts";
import { NameText, NullableTimestamp, Text, Timestamp, Uuid } from "../text.ts";
import { Session } from "./access.ts";
import { KnownPassword } from "./factors.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API for passkeys (Web Authentication, level 3). */

const closed = { additionalProperties: false } as const;
const bytes = (maxLength: number) => Text({ minLength: 1, maxLength, description: "Bytes in base64url." });

const PasskeyName = NameText({ maxLength: nameLengthMax, description: "The name of the passkey." });

/** A passkey of the person. */
export const Passkey = Type.Object(
  {
    id: Uuid("The passkey."),
    name: Type.String({ description: "The name of the passkey." }),
    createdAt: Timestamp("When it was created."),
    usedAt: NullableTimestamp("When the passkey was last used to sign in. Null if never."),
  },
  { description: "A passkey of the person." },
);
export type Passkey = Type.Static<typeof Passkey>;

/** All passkeys of the person. */
export const PasskeyList = Type.Object(
  { passkeys: Type.Array(Passkey, { description: "In the order of creation, at most 20." }) },
  { description: "The person's passkeys." },
);
export type PasskeyList = Type.Static<typeof PasskeyList>;

/** The challenge for a browser. */
export const PasskeyOptions = Type.Object(
  {
    options: Type.Unsafe<Record<string, unknown>>({
      type: "object",
      description:
        "The `publicKey` option of `navigator.credentials.create` or `.get`, as input of `parse…OptionsFromJSON`.",
    }),
  },
  { description: "The challenge for the browser. Valid once, for five minutes." },
);
export type PasskeyOptions = Type.Static<typeof PasskeyOptions>;

/** The browser's response (`PublicKeyCredential.toJSON`). */
const Credential = Type.Object(
  {
    id: bytes(1_400),
    rawId: bytes(1_400),
    type: Type.Literal("public-key"),
    response: Type.Object({ clientDataJSON: bytes(3_000) }, { description: "The authenticator's response." }),
    clientExtensionResults: Type.Object({}, { description: "The results of client extensions." }),
  },
  { description: "The browser's response, from `PublicKeyCredential.toJSON`." },
);

/** A passkey to save. */
export const AddPasskey = Type.Object(
  {
    name: PasskeyName,
    credential: Credential,
  },
  { ...closed, description: "The passkey to save." },
);
export type AddPasskey = Type.Static<typeof AddPasskey>;

/** The changes to a passkey. */
export const ChangePasskey = Type.Object({ name: PasskeyName }, { ...closed, description: "The passkey's new name." });
export type ChangePasskey = Type.Static<typeof ChangePasskey>;

/** A saved passkey. */
export const AddedPasskey = Type.Object(
  {
    passkey: Passkey,
    recoveryCodes: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: "Recovery codes, returned only once. Null if the person already had a second factor.",
    }),
  },
  { description: "The saved passkey." },
);
export type AddedPasskey = Type.Static<typeof AddedPasskey>;

/** A passkey to sign in with. */
export const SignInByPasskey = Type.Object(
  { credential: Credential },
  { ...closed, description: "The passkey to sign in with." },
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
  summary: "List your passkeys",
});

export const beginPasskey = dashboard({
  id: "beginPasskey",
  method: "POST",
  path: "/api/dashboard/profile/passkeys/options",
  role: "account",
  body: KnownPassword,
  answers: { 200: PasskeyOptions },
  errors: ["wrong_credentials", "too_many"],
  summary: "Start creating a passkey",
});

export const addPasskey = dashboard({
  id: "addPasskey",
  method: "POST",
  path: "/api/dashboard/profile/passkeys",
  role: "account",
  body: AddPasskey,
  answers: { 201: AddedPasskey },
  errors: ["passkey_refused", "too_many"],
  summary: "Save a passkey",
  description:
    "Once you have a passkey, you sign in with it, or with the password and an authenticator or recovery code. If you had no second factor before, your other sessions end.",
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
  summary: "Update a passkey",
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
  summary: "Start signing in with a passkey",
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
  description: "A passkey replaces the password and the second factor, because the device verifies the person.",
});
