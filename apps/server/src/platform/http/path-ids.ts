import type { ErrorCode } from "@lodge/contract/errors";
import { Uuid } from "@lodge/contract/text";
import Type, { type TSchema } from "typebox";

const refusals = new WeakMap<object, ErrorCode>();

/** The schema of a path with an id in it. A malformed id is refused with `code`, like one that is not there. */
export function pathId<Name extends string>(name: Name, code: ErrorCode, description: string) {
  const properties = { [name]: Uuid(description) } as Record<Name, ReturnType<typeof Uuid>>;
  const schema = Type.Object(properties);
  refusals.set(schema, code);
  return schema;
}

/** The code to refuse with what does not fit the schema of a path. */
export const refusalOfPath = (schema: TSchema): ErrorCode => refusals.get(schema) ?? "not_found";
