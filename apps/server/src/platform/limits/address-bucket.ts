import { isIPv6 } from "node:net";

/** The length of the longest address. A proxy may forward any text. */
const addressLengthMax = 45;

/**
 * The bucket of an address for rate limits. An IPv6 address counts as its /64, the smallest range that a customer gets,
 * and an IPv4 address as itself, in any notation.
 */
export function addressBucket(address: string): string {
  const [plain = ""] = address.split("%", 1); // without the zone of a link-local address
  if (!isIPv6(plain)) return plain.slice(0, addressLengthMax);
  const groups = groupsOf(plain);
  const [, , , , , marker = 0, high = 0, low = 0] = groups;
  const isMapped = marker === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  if (isMapped) return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}

/** The eight numbers of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = [], tail = []] = address.split("::").map((half) => half.split(":").filter(Boolean).flatMap(numbersOf));
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

/** The numbers of a group: one, or two for a dotted IPv4 suffix. */
function numbersOf(group: string): number[] {
  if (!group.includes(".")) return [Number.parseInt(group, 16)];
  const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
  return [a * 256 + b, c * 256 + d];
}
