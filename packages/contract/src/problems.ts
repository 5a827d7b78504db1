import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";
import type { Problem } from "./errors.ts";
import { formatMeanings, patternMeanings } from "./text.ts";

/** An object with more unknown members than this is reported by its first ones, so that hostile input is refused fast. */
const unknownMembersReported = 100;

/** Tells whether a value fits, and why not. */
export type Check = {
  accepts: (value: unknown) => boolean;
  /** At most 8 problems, each with a JSON Pointer to the value at fault. Empty exactly where the value fits. */
  problemsOf: (value: unknown) => Problem[];
};

/** Compiles a schema once, for use at every request. */
export function compileCheck(schema: TSchema): Check {
  const compiled = Compile(schema);
  const known = new Set(Object.keys((schema as { properties?: object }).properties ?? {}));
  const accepts = (value: unknown) => compiled.Check(value);
  return {
    accepts,
    problemsOf: (value) => (accepts(value) ? [] : inWords(compiled.Errors(firstMembers(value, known)))),
  };
}

function firstMembers(value: unknown, known: ReadonlySet<string>): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value);
  if (members.length <= unknownMembersReported) return value;
  const unknown = members.filter(([name]) => !known.has(name));
  return Object.fromEntries([
    ...members.filter(([name]) => known.has(name)),
    ...unknown.slice(0, unknownMembersReported),
  ]);
}

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
      return []; // the same is said of each unknown field by itself, as "boolean"
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
    case "maxProperties":
      return at(`must have at most ${count(error.params.limit, "member")}`);
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
