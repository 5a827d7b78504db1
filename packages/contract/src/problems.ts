import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";
import type { Problem } from "./errors.ts";
import { formatMeanings, patternMeanings } from "./text.ts";

/** Of larger objects and lists, only the first fields and entries are checked, to refuse hostile input fast. */
const membersReported = 100;
const entriesReported = 10_001; // more than any list may have
const depthReported = 3; // deeper than any list of the schemas

/** Checks values against a schema. */
export type Check = {
  accepts: (value: unknown) => boolean;
  /** At most 8 problems, each with a JSON Pointer to the invalid value. Empty if the value is valid. */
  problemsOf: (value: unknown) => Problem[];
};

const checks = new WeakMap<TSchema, Check>();

/** The check of a schema, compiled once per process. */
export function compileCheck(schema: TSchema): Check {
  const check = checks.get(schema) ?? makeCheck(schema);
  checks.set(schema, check);
  return check;
}

function makeCheck(schema: TSchema): Check {
  const compiled = Compile(schema);
  const known = new Set(Object.keys((schema as { properties?: object }).properties ?? {}));
  const accepts = (value: unknown) => compiled.Check(value);
  return {
    accepts,
    problemsOf: (value) => {
      if (accepts(value)) return [];
      const problems = inWords(compiled.Errors(beginning(value, depthReported, known)));
      return problems.length > 0 ? problems : [{ path: "", message: "does not fit" }];
    },
  };
}

/** Known fields come first, so that none of them is reported as missing. */
function beginning(value: unknown, depth: number, known: ReadonlySet<string>): unknown {
  if (typeof value !== "object" || value === null || depth === 0) return value;
  if (Array.isArray(value)) return value.slice(0, entriesReported).map((entry) => beginning(entry, depth - 1, none));
  const members = new Map<string, unknown>();
  for (const name of known) if (Object.hasOwn(value, name)) members.set(name, (value as Record<string, unknown>)[name]);
  const end = members.size + membersReported;
  for (const name in value) {
    if (members.size === end) break;
    members.set(name, (value as Record<string, unknown>)[name]);
  }
  return Object.fromEntries([...members].map(([name, member]) => [name, beginning(member, depth - 1, none)]));
}

const none: ReadonlySet<string> = new Set();

function inWords(errors: TLocalizedValidationError[]): Problem[] {
  const problems = new Map<string, Problem>();
  for (const error of errors) {
    for (const problem of explain(error)) {
      if (!problems.has(problem.path)) problems.set(problem.path, problem);
    }
  }
  return [...problems.values()].slice(0, 8);
}

function explain(error: TLocalizedValidationError): Problem[] {
  const at = (message: string): Problem[] => [{ path: error.instancePath, message }];
  switch (error.keyword) {
    case "additionalProperties":
      return []; // each unknown field is also reported separately, as "boolean"
    case "boolean":
      return at("is not a known field");
    case "required":
      return error.params.requiredProperties.map((name) => ({
        path: `${error.instancePath}/${pointerToken(name)}`,
        message: "is required",
      }));
    case "type":
      return at(`must be ${[error.params.type].flat().map(article).join(" or ")}`);
    case "minLength":
      return at(`must have at least ${count(error.params.limit, "character")}`);
    case "maxLength":
      return at(`must have at most ${count(error.params.limit, "character")} (Unicode code points)`);
    case "minimum":
      return at(`must be at least ${error.params.limit}`);
    case "maximum":
      return at(`must be at most ${error.params.limit}`);
    case "minItems":
      return at(`must have at least ${count(error.params.limit, "entry", "entries")}`);
    case "maxItems":
      return at(`must have at most ${count(error.params.limit, "entry", "entries")}`);
    case "minProperties":
      return at(`must have at least ${count(error.params.limit, "field")}`);
    case "maxProperties":
      return at(`must have at most ${count(error.params.limit, "field")}`);
    case "enum":
      return at(`must be one of ${error.params.allowedValues.join(", ")}`);
    case "pattern":
      return at(patternMeanings[String(error.params.pattern)] ?? error.message);
    case "format":
      return at(`must be a ${formatMeanings[error.params.format] ?? `valid ${error.params.format}`}`);
    default:
      return at(error.message);
  }
}

const pointerToken = (name: string) => name.replaceAll("~", "~0").replaceAll("/", "~1");
const article = (type: string) => (type === "null" ? "null" : `${/^[aeio]/.test(type) ? "an" : "a"} ${type}`);
const count = (limit: number | bigint, one: string, many = `${one}s`) => `${limit} ${limit === 1 ? one : many}`;
