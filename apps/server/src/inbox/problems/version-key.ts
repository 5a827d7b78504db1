/** The parts of a version and the digits of a part that are compared; the rest is ignored. */
const partsMax = 6;
const digitsMax = 12;

/**
 * A sort key of a version, compared by code unit: 1.10 sorts after 1.9, 2.0.0-beta.1 before 2.0.0, and 2.0.0+17 after
 * it. Undefined for a version without numbers to compare, such as a commit.
 */
export function versionKey(version: string): string | undefined {
  const [matched, numbers = "", sign = "", rest = ""] =
    /^v?(\d{1,12}(?:\.\d{1,12}){0,5})(?:\s*([-+(])\s*([\w.-]{1,100})\)?)?$/i.exec(version.trim()) ?? [];
  // A number without a dot could be anything: a date, a build, a commit of digits.
  if (matched === undefined || (!numbers.includes(".") && !/^\d{1,9}$/.test(numbers))) return undefined;
  const parts = numbers.split(".");
  while (parts.length < partsMax) parts.push("0");
  const core = parts.map(padded).join(".");
  return `${core}${sign === "-" ? "-" : "~"}${rest.replaceAll(/\d+/g, padded)}`;
}

const padded = (digits: string) => digits.slice(0, digitsMax).padStart(digitsMax, "0");
