import Type, { type Static, type TObject, type TSchema } from "typebox";
import type { Change } from "./dashboard/change.ts";
import type { ErrorCode } from "./errors.ts";
import type { Permission } from "./roles.ts";
import { TicketReference, Uuid } from "./text.ts";

/** Which part of the service a request belongs to: each has its own base URL, credentials and limits. */
export type Door = "api" | "ingest" | "dashboard";

/** The roles that an operation of the dashboard can require, with their documentation. */
export const audiences = {
  everybody: "No session needed.",
  "signed-in": "Needs a session.",
  account: "Needs a session opened with a password or passkey, not by an organisation's identity provider.",
  member: "Available to all members of the session's organisation.",
  admin: "Available to owners and admins of the session's organisation.",
  owner: "Available to owners of the session's organisation.",
} as const;
export type Audience = keyof typeof audiences;

/** The credential of a request outside the dashboard. */
export type Credential =
  /** `permission` is null if any active token will do. */
  | { kind: "apiToken"; permission: Permission | null }
  | { kind: "sdkKey" }
  /** An SDK key as Sentry's clients send it: in `X-Sentry-Auth`, in `sentry_key` of the query, or in the DSN of an envelope. */
  | { kind: "sentryKey" }
  | { kind: "threadToken" }
  | { kind: "deviceToken" }
  /** The token of a runner (contract section 11). */
  | { kind: "runnerToken" }
  /** None: the URL itself is signed, and expires. */
  | { kind: "link" };

/** An API token with a permission (interface section 5), or any API token. */
export const apiToken = <P extends Permission | null>(permission: P) => ({ kind: "apiToken", permission }) as const;

/** A body that is not JSON: a form, a file or a stream. */
export type Media = { media: string; description: string; schema?: TSchema };

/** The only definition of an operation: the route, the clients and the documentation are derived from it. */
export type Operation = {
  /** The unique name in clients and documentation. */
  id: string;
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** With its parameters in braces, as in OpenAPI. */
  path: `/${string}`;
  door: Door;
  /** The role that it requires; each operation has either a role or a credential. */
  role?: Audience;
  credential?: Credential;
  params?: TObject;
  query?: TObject;
  headers?: TObject;
  body?: TSchema | Media;
  /** The success responses, by status. */
  answers: Readonly<Record<number, TSchema | Media>>;
  /** The operation's own error codes; `errorsOf` adds those of its door, credential and input. */
  errors: readonly ErrorCode[];
  summary: string;
  description?: string;
  /** The changes that make cached responses stale: those for the ids in the change, or all. */
  staleAfter?: readonly Change["kind"][];
};

/** Describes an operation, keeping the types of its schemas. */
export const operation = <const Described extends Operation>(described: Described): Described => described;

/** Whether a response or body is not JSON. */
export const isMedia = (content: TSchema | Media): content is Media => "media" in content;

const ofAudience = {
  everybody: [],
  "signed-in": ["not_signed_in"],
  account: ["not_signed_in", "signed_in_by_provider"],
  member: ["not_signed_in", "no_organisation", "provider_needed", "second_factor_needed"],
  admin: ["not_signed_in", "no_organisation", "provider_needed", "second_factor_needed", "forbidden"],
  owner: ["not_signed_in", "no_organisation", "provider_needed", "second_factor_needed", "forbidden"],
} as const satisfies Record<Audience, readonly ErrorCode[]>;

const ofCredential = {
  apiToken: ["invalid_api_token", "rate_limit_exceeded"],
  sdkKey: ["invalid_sdk_key"],
  sentryKey: ["invalid_sdk_key"],
  threadToken: ["invalid_reply_token", "rate_limit_exceeded"],
  deviceToken: ["invalid_reply_token", "rate_limit_exceeded"],
  runnerToken: ["invalid_runner_token"],
  link: [],
} as const satisfies Record<Credential["kind"], readonly ErrorCode[]>;

/** Every error code of an operation, each once, in the order of the checks. */
export function errorsOf({ door, method, role, credential, query, body, errors }: Operation): ErrorCode[] {
  return [
    ...new Set<ErrorCode>([
      ...(door === "dashboard" && method !== "GET" ? (["untrusted_origin"] as const) : []),
      ...(role ? ofAudience[role] : []),
      ...(role && role !== "everybody" && method !== "GET" ? (["rate_limit_exceeded"] as const) : []),
      ...(credential ? ofCredential[credential.kind] : []),
      ...(credential?.kind === "apiToken" && credential.permission ? (["insufficient_scope"] as const) : []),
      ...(query || (body && !isMedia(body)) ? (["invalid_input"] as const) : []),
      ...errors,
      "bad_request",
      "internal_error",
      "unavailable",
    ]),
  ];
}

const refusals = new WeakMap<object, ErrorCode>();

/** The schema of a path with an id in it. A malformed id gets `code`, like an unknown one. */
export const pathId = <Name extends string>(name: Name, code: ErrorCode, description: string) =>
  pathIds({ [name]: description } as Record<Name, string>, code);

/** The schema of a path with ids in it, each with its description. A malformed id gets `code`, like an unknown one. */
export function pathIds<Name extends string>(descriptions: Record<Name, string>, code: ErrorCode) {
  const names = Object.keys(descriptions) as Name[];
  const properties = Object.fromEntries(names.map((name) => [name, Uuid(descriptions[name])]));
  const schema = Type.Object(properties as Record<Name, ReturnType<typeof Uuid>>);
  refusals.set(schema, code);
  return schema;
}

/** The schema of a path with a ticket's id or number in it. Anything else gets `ticket_not_found`. */
export function pathTicket(description: string) {
  const schema = Type.Object({ ticket: TicketReference(description) });
  refusals.set(schema, "ticket_not_found");
  return schema;
}

/** The error code of a path that does not match its schema. */
export const refusalOfPath = (schema: TSchema): ErrorCode => refusals.get(schema) ?? "not_found";

/** The response of an operation without a result. */
export const noContent = { 204: Type.Void({ description: "No content." }) };

type JsonOf<Content> = Content extends Media ? unknown : Content extends TSchema ? Static<Content> : never;
type Part<Name extends string, Schema> = [Schema] extends [TSchema]
  ? Record<never, never> extends Static<Schema>
    ? { [Key in Name]?: Static<Schema> }
    : { [Key in Name]: Static<Schema> }
  : unknown;
type FieldOf<Op, Field extends string> = Op extends { [Key in Field]: infer Schema } ? Schema : undefined;

/** The input of an operation: its `params`, `query`, `headers` and `body`. */
export type InputOf<Op> = Part<"params", FieldOf<Op, "params">> &
  Part<"query", FieldOf<Op, "query">> &
  Part<"headers", FieldOf<Op, "headers">> &
  (FieldOf<Op, "body"> extends Media ? { body: unknown } : Part<"body", FieldOf<Op, "body">>);

/** The result of an operation. */
export type AnswerOf<Op extends { answers: object }> = {
  [Status in keyof Op["answers"]]: Status extends 304 ? never : JsonOf<Op["answers"][Status]>;
}[keyof Op["answers"]];

/** An operation's own error codes. */
export type ErrorOf<Op extends { errors: readonly ErrorCode[] }> = Op["errors"][number];
