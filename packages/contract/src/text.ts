import Type from "typebox";
import {
  addressLengthMax,
  emailLengthMax,
  nameLengthMax,
  passwordLengthMax,
  passwordLengthMin,
  positionLengthMax,
} from "./limits.ts";
import { repositoryOrFilePattern, repositoryPattern } from "./repositories.ts";

const namePattern = "^[^\\p{Cc}\\u2028\\u2029\\ud800-\\udfff]*$";
const webAddressPattern = "^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#][^\\s]*$";
const textPattern = "^[^\\u0000\\ud800-\\udfff]*$";
const visiblePattern = "[^\\p{Z}\\p{Cc}\\p{Cf}\\p{M}\\u115f\\u1160\\u2800\\u3164\\uffa0]";
const uuidPattern = "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$";
const date = "real calendar date in the format YYYY-MM-DD";
const uuidOrNonePattern = `^none$|${uuidPattern}`;
const authorPattern = `^(?:token|person|app)$|${uuidPattern}`;
const datePattern = "^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}$";

const slugPattern = "^[a-z0-9]+(?:-[a-z0-9]+)*$";
const allPattern = "^all$";
const positionPattern = "^[0-9a-f]+$";
const sha256Pattern = "^[0-9A-Fa-f]{64}$";
const ticketPattern = `${uuidPattern}|^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*-[0-9]{1,9}$`;
const numbersPattern = "^(?:[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*-[0-9]{1,9}(?:,(?!$)|$))+$";
const environmentNamePattern = "^[A-Z_][A-Z0-9_]{0,99}$";
const signingSecretPattern = "^whsec_[A-Za-z0-9+/]{43}=$";
const wholeNumberPattern = "^[0-9]{1,9}$";
const monthPattern = "^[0-9]{4}-(?:0[1-9]|1[0-2])$";
/** An e-mail address of ASCII characters, without quotes, with one "@" and a domain name. */
export const emailPattern =
  "^[\\x21\\x23-\\x3f\\x41-\\x7e]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$";
const pageLimitPattern = "^(?:[1-9][0-9]?|100)$";
const waitSecondsPattern = "^(?:[0-9]|[1-5][0-9]|60)$";

/** The meanings of patterns in words; `problemsOf` shows these instead of the pattern. */
export const patternMeanings: Record<string, string> = {
  [textPattern]: "must not contain NUL characters or unpaired surrogates",
  [namePattern]: "must not contain control characters, tabs, line breaks or unpaired surrogates",
  [webAddressPattern]: "must be an http:// or https:// URL",
  [visiblePattern]: "must have a visible character",
  [uuidPattern]: "must be a UUID",
  [uuidOrNonePattern]: 'must be a UUID or "none"',
  [authorPattern]: 'must be a UUID, "token", "person" or "app"',
  [datePattern]: `must be a ${date}`,
  [slugPattern]: "must consist of lowercase letters and digits, separated by single hyphens",
  [allPattern]: 'must be "all" or a list of project slugs',
  [positionPattern]: "must be the position of a ticket",
  [sha256Pattern]: "must be 64 hexadecimal digits",
  [ticketPattern]: "must be the UUID or the number of a ticket, like WEB-12",
  [numbersPattern]: "must be ticket numbers separated by commas, like WEB-12,WEB-13",
  [environmentNamePattern]: "must be the name of an environment variable: uppercase letters, digits and _",
  [repositoryPattern]: "must be the URL of a Git repository: https://…, http://…, ssh://… or user@host:path",
  [repositoryOrFilePattern]:
    "must be the URL of a Git repository: https://…, http://…, ssh://…, user@host:path or file:///…",
  [signingSecretPattern]: "must be whsec_ followed by 32 bytes in base64",
  [wholeNumberPattern]: "must be a whole number of at most 9 digits",
  [monthPattern]: "must be a month like 2026-03",
  [emailPattern]: "must be an e-mail address of ASCII characters",
  [pageLimitPattern]: "must be a whole number from 1 to 100",
  [waitSecondsPattern]: "must be a whole number from 0 to 60",
};

/** The meanings of formats in words, for formats whose names do not say it. */
export const formatMeanings: Record<string, string> = { date };

/** Unicode text without NUL and unpaired surrogates. Its length is counted in code points. */
export const Text = (options: { minLength?: number; maxLength: number; description: string }) =>
  Type.String({ ...options, pattern: textPattern });

/** The same, with at least one visible character, neither blank nor of zero width. */
export const VisibleText = (options: { maxLength: number; description: string }) =>
  Type.String({ ...options, minLength: 1, pattern: textPattern, allOf: [{ pattern: visiblePattern }] });

/** A UUID of any version and letter case. */
export const Uuid = (description: string) => Type.String({ description, pattern: uuidPattern });

/** A ticket: its UUID or number, ignoring case. */
export const TicketReference = (description: string) => Type.String({ description, pattern: ticketPattern });

/** Ticket numbers separated by commas, ignoring case. */
export const TicketNumbers = (options: { maxLength: number; description: string }) =>
  Type.String({ ...options, pattern: numbersPattern });

/** A UUID of any version and letter case, or the word none. */
export const UuidOrNone = (description: string) => Type.String({ description, pattern: uuidOrNonePattern });

/** A UUID of any version and letter case, or a kind of author: token, person or app. */
export const UuidOrAuthorKind = (description: string) => Type.String({ description, pattern: authorPattern });

/** A schema of a text, or null. */
export const NullableText = (description: string) =>
  Type.Unsafe<string | null>({ type: ["string", "null"], description });

/** A UUID of any version and letter case, or null. */
export const NullableUuid = (description: string) =>
  Type.Unsafe<string | null>({ type: ["string", "null"], description, pattern: uuidPattern });

/** A real calendar date YYYY-MM-DD of the years 0001 to 9999. */
export const CalendarDate = (description: string) => Type.String({ description, pattern: datePattern, format: "date" });

/** The same, or null. */
export const NullableDate = (description: string) =>
  Type.Unsafe<string | null>({ type: ["string", "null"], description, pattern: datePattern, format: "date" });

/** A short name for URLs: lowercase letters and digits, separated by single hyphens. */
export const Slug = Type.String({
  pattern: slugPattern,
  maxLength: 60,
  description: "The slug, a short name used in URLs.",
});

/** The projects that a token has access to: all, or those listed by their slugs. */
export const Scope = Type.Unsafe<"all" | string[]>({
  type: ["string", "array"],
  description: '"all" or a list of project slugs.',
  pattern: allPattern,
  items: Slug,
});

/** An ISO 8601 timestamp in UTC with milliseconds. */
export const Timestamp = (description: string) => Type.String({ description, format: "date-time" });

/** The place of a ticket in its column. */
export const Position = (description: string) =>
  Type.String({ description, pattern: positionPattern, maxLength: positionLengthMax });

/** A calendar month YYYY-MM. */
export const Month = (description: string) => Type.String({ description, pattern: monthPattern });

/** The name of an environment variable. */
export const EnvironmentName = Type.String({
  pattern: environmentNamePattern,
  description: "The runner's environment variable with the token for pushing.",
});

/** The URL of a Git repository, as any client may send it. */
export const RepositoryUrl = Type.String({
  pattern: repositoryPattern,
  maxLength: addressLengthMax,
  description: "The URL that Git clones from: https, http, ssh, or user@host:path; without a password.",
});

/** The URL of a Git repository, as only an operator may configure it: can be a file URL. */
export const RepositoryOrFileUrl = Type.String({
  pattern: repositoryOrFilePattern,
  maxLength: addressLengthMax,
  description: "The URL that Git clones from: https, http, ssh, user@host:path, or file:///path.",
});

/** A signing secret of a webhook: `whsec_` and 32 bytes in base64 (contract section 1). */
export const SigningSecret = (description: string) => Type.String({ description, pattern: signingSecretPattern });

/** A SHA-256 in hexadecimal, in uppercase or lowercase. */
export const Sha256 = (description: string) => Type.String({ description, pattern: sha256Pattern });

/** A whole number in a query, as text: 0 to 999,999,999. */
export const WholeNumber = (description: string) => Type.String({ description, pattern: wholeNumberPattern });

/** The seconds to wait in a query, as text: 0 to 60. */
export const WaitSeconds = (description: string) => Type.String({ description, pattern: waitSecondsPattern });

/** The page size in a query, as text: 1 to 100. */
export const PageLimit = (description: string) => Type.String({ description, pattern: pageLimitPattern });

/** An RFC 3339 timestamp in a request, with any offset. */
export const Moment = (description: string) => Type.String({ description, format: "date-time", maxLength: 64 });

/** An ISO 8601 timestamp in UTC with milliseconds, or null. */
export const NullableTimestamp = (description: string) =>
  Type.Unsafe<string | null>({ type: ["string", "null"], description, format: "date-time" });

/** A name: one line with a visible character, since e-mail subjects and lists show names in one line. */
export const NameText = (options: { maxLength: number; description: string }) =>
  Type.String({ ...options, minLength: 1, pattern: namePattern, allOf: [{ pattern: visiblePattern }] });

/** The name of something: 1 to 80 characters. */
export const Name = NameText({ maxLength: nameLengthMax, description: "The name." });

/** A URL that Lodge stores and later opens or sends to. Only http or https, since browsers run `javascript:` URLs. */
export const WebAddress = (description: string) =>
  Type.String({
    description,
    minLength: 1,
    maxLength: addressLengthMax,
    pattern: textPattern,
    allOf: [{ pattern: webAddressPattern }],
  });

/** An e-mail address. */
export const Email = Type.String({
  format: "email",
  pattern: emailPattern,
  maxLength: emailLengthMax,
  description: "An e-mail address of ASCII characters.",
});

/** A new password: 10 to 128 characters. The server refuses common ones. */
export const NewPassword = Text({
  minLength: passwordLengthMin,
  maxLength: passwordLengthMax,
  description: "At least 10 characters, and not a common password.",
});
