const digits = "0123456789abcdef";

/**
 * A key that sorts strictly between two others, as text of hexadecimal digits (migrations/0009_tickets.sql,
 * `position`). It grows by a digit for about every four cards put into the same gap, and never ends in 0, so there is
 * always room; undefined if the two are equal, or differ only by trailing zeros.
 */
export function keyBetween(lower: string, upper: string): string | undefined {
  if (withoutZeros(lower) >= withoutZeros(upper)) return undefined;
  let key = "";
  let bounded = true;
  for (let index = 0; ; index++) {
    const low = digits.indexOf(lower.charAt(index) || "0");
    const high = bounded ? digits.indexOf(upper.charAt(index) || "0") : digits.length;
    if (high - low > 1) return key + digits.charAt((low + high) >> 1);
    if (high > low) bounded = false;
    key += digits.charAt(low);
  }
}

const withoutZeros = (key: string) => key.replace(/0+$/, "");

/**
 * Returns `count` keys strictly between two others, the greatest first: each grows by the logarithm of their number.
 * Empty if no key fits.
 */
export function keysBetween(lower: string, upper: string, count: number): string[] {
  const middle = count === 0 ? undefined : keyBetween(lower, upper);
  if (middle === undefined) return [];
  const above = count >> 1;
  return [...keysBetween(middle, upper, above), middle, ...keysBetween(lower, middle, count - 1 - above)];
}

/** A key for the bottom: below keys of earlier ids, and below every id itself. `id` is a new UUIDv7 in hexadecimal. */
export const keyBelowAll = (id: string): string =>
  `00${Array.from(id, (digit) => digits.charAt(15 - digits.indexOf(digit))).join("")}`;
