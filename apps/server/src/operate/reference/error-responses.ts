import { errorBodies } from "@lodge/contract/error-body";
import { type ErrorCode, errors } from "@lodge/contract/errors";
import { errorsOf, type Operation } from "@lodge/contract/operation";
import { operations } from "@lodge/contract/operations";
import type { TSchema } from "typebox";

type Json = Record<string, unknown>;

/** Names for combinations of codes whose generated names would be too long. */
const names: Record<string, string> = {
  internal_error: "InternalError",
  "no_organisation provider_needed second_factor_needed": "MembersOnly",
  "untrusted_origin no_organisation provider_needed second_factor_needed": "MembersOnlyChange",
  "no_organisation provider_needed second_factor_needed forbidden": "AdminsOnly",
  "untrusted_origin no_organisation provider_needed second_factor_needed forbidden": "AdminsOnlyChange",
  "invalid_input invalid_date_range not_a_member invalid_agent_repository bad_request": "InvalidTicket",
  "invalid_input invalid_idempotency_key invalid_date_range not_a_member invalid_agent_repository bad_request":
    "InvalidNewTicket",
};

/** The error responses of operations: those that several operations have are shared under a name. */
export class ErrorResponses {
  /** The `components.responses` of the document. */
  readonly shared: Record<string, Json> = {};
  readonly #schemas: { reference: (name: string, schema: TSchema) => { $ref: string } };
  readonly #uses = new Map<string, number>();

  constructor(schemas: { reference: (name: string, schema: TSchema) => { $ref: string } }) {
    this.#schemas = schemas;
    for (const { operation } of operations) {
      for (const codes of byStatus(operation).values()) {
        this.#uses.set(codes.join(" "), (this.#uses.get(codes.join(" ")) ?? 0) + 1);
      }
    }
  }

  /** One response for each error status of the operation. */
  of(operation: Operation): Record<number, Json> {
    return Object.fromEntries(
      [...byStatus(operation)].map(([status, codes]) => {
        if (this.#uses.get(codes.join(" ")) === 1) return [status, this.#describe(codes)];
        const name = nameOf(codes);
        this.shared[name] ??= this.#describe(codes);
        return [status, { $ref: `#/components/responses/${name}` }];
      }),
    );
  }

  #describe(codes: ErrorCode[]): Json {
    const bodies = codes.map((code) => this.#schemas.reference(`${pascalCase(code)}Error`, errorBodies[code]));
    const mapping = Object.fromEntries(codes.map((code, index) => [code, bodies[index]?.$ref]));
    const several = { oneOf: bodies, discriminator: { propertyName: "error", mapping } };
    return {
      description: codes.map((code) => `\`${code}\``).join(", "),
      content: { "application/json": { schema: codes.length === 1 ? bodies[0] : several } },
    };
  }
}

function byStatus(operation: Operation): Map<number, ErrorCode[]> {
  const codes = errorsOf(operation).toSorted((a, b) => errors[a].status - errors[b].status);
  return Map.groupBy(codes, (code) => errors[code].status);
}

function nameOf(codes: ErrorCode[]): string {
  const known = names[codes.join(" ")];
  if (!known && codes.length > 3) throw new Error(`Name the response that is one of ${codes.join(", ")}`);
  return known ?? codes.map(pascalCase).join("Or");
}

const pascalCase = (code: ErrorCode) =>
  code.replace(/_error$/, "").replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
