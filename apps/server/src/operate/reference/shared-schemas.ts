import { ErrorBody } from "@lodge/contract/error-body";
import { modules } from "@lodge/contract/operations";
import * as text from "@lodge/contract/text";
import type { TSchema } from "typebox";

/** The schema of a UUID, without the description of a particular id. */
const anyUuid = text.Uuid("A UUID of any version and letter case.");

/** The schemas that the contract exports, each written once under its name, and referenced everywhere else. */
export class SharedSchemas {
  /** The `components.schemas` of the document. */
  readonly schemas: Record<string, unknown> = {};
  readonly #nameOf = new Map<string, string>();

  constructor() {
    for (const exports of [text, { ErrorBody }, ...Object.values(modules)]) {
      for (const [name, value] of Object.entries(exports)) if (isSchema(value)) this.#remember(name, value);
    }
  }

  #remember(name: string, schema: TSchema) {
    const written = JSON.stringify(schema);
    const known = this.#nameOf.get(written);
    if (known !== undefined && known !== name)
      throw new Error(`${known} and ${name} are one schema: export one of them`);
    if ([...this.#nameOf].some(([other, taken]) => taken === name && other !== written)) {
      throw new Error(`Two different schemas are exported as ${name}`);
    }
    this.#nameOf.set(written, name);
  }

  /** A reference to a schema under a name. */
  reference(name: string, schema: TSchema): { $ref: string } {
    if (!(name in this.schemas)) {
      this.schemas[name] = undefined; // in case it refers to itself
      this.schemas[name] = this.#inside(schema);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** A schema as written in the document: a reference if it has a name. */
  written(schema: TSchema): unknown {
    const name = this.#nameOf.get(JSON.stringify(schema));
    if (name !== undefined) return this.reference(name, schema);
    const { description } = schema as { description?: string };
    if (JSON.stringify(schema) === JSON.stringify({ ...anyUuid, description })) {
      return { ...this.reference("Uuid", anyUuid), description };
    }
    return this.#inside(schema);
  }

  #inside(schema: TSchema): unknown {
    return Object.fromEntries(
      Object.entries(withoutPlainUnion(schema)).map(([keyword, value]) => {
        if (keyword === "properties") {
          const properties = Object.entries(value as Record<string, TSchema>);
          return [keyword, Object.fromEntries(properties.map(([name, property]) => [name, this.written(property)]))];
        }
        if (["anyOf", "allOf", "oneOf"].includes(keyword)) {
          return [keyword, (value as TSchema[]).map((member) => this.written(member))];
        }
        if (keyword === "items" || (keyword === "additionalProperties" && typeof value === "object")) {
          return [keyword, this.written(value as TSchema)];
        }
        return [keyword, value];
      }),
    );
  }
}

/** Writes a plain value or null as a list of types. */
function withoutPlainUnion(schema: TSchema): TSchema {
  const { anyOf, ...rest } = schema as { anyOf?: { type?: string }[] };
  const [plain, nothing] = anyOf ?? [];
  if (anyOf?.length !== 2 || nothing?.type !== "null") return schema;
  if (!["string", "integer", "number", "boolean"].includes(plain?.type ?? "")) return schema;
  if (plain === undefined || "const" in plain || "enum" in plain) return schema;
  return { ...plain, ...rest, type: [plain.type, "null"] };
}

const isSchema = (value: unknown): value is TSchema =>
  typeof value === "object" &&
  value !== null &&
  !("id" in value) &&
  ["type", "anyOf", "allOf", "enum"].some((keyword) => keyword in value);
