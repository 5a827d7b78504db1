import { BlockList, isIP } from "node:net";

/** Forbidden ranges for a receiver's address, by rule. Errors name the first rule that matches. */
const refused: readonly (readonly [rule: string, ...networks: string[]])[] = [
  ["metadata", "169.254.169.254/32", "100.100.100.200/32", "168.63.129.16/32", "fd00:ec2::254/128"],
  ["loopback", "127.0.0.0/8", "::1/128"],
  ["private", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10"],
  ["link-local", "169.254.0.0/16", "fe80::/10"],
  ["shared", "100.64.0.0/10"],
  ["unspecified", "0.0.0.0/8", "::/128"],
  ["multicast", "224.0.0.0/4", "ff00::/8"],
  ["documentation", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"],
  // Local-use NAT64, Teredo, ORCHID and other protocol assignments, discard-only, segment routing …
  ["reserved", "192.0.0.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.175.48.0/24"],
  ["reserved", "198.18.0.0/15", "240.0.0.0/4"],
  ["reserved", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23", "2620:4f:8000::/48", "5f00::/16"],
  // All of IPv6 except 2000::/3, the global unicast range.
  ["reserved", "::/3", "4000::/2", "8000::/1"],
];
const rules = refused.flatMap(([rule, ...networks]) =>
  networks.map((network) => ({
    rule,
    network,
    family: isIP(network.split("/", 1)[0] ?? ""),
    list: blockListOf([network]),
  })),
);

/** IPv6 prefixes with an embedded IPv4 address, and the 16-bit group at which it starts. */
const carriers = [
  { form: "IPv4-mapped", prefix: [0, 0, 0, 0, 0, 0xffff], at: 6 },
  { form: "IPv4-compatible", prefix: [0, 0, 0, 0, 0, 0], at: 6 },
  { form: "SIIT", prefix: [0, 0, 0, 0, 0xffff, 0], at: 6 },
  { form: "NAT64", prefix: [0x64, 0xff9b, 0, 0, 0, 0], at: 6 },
  { form: "6to4", prefix: [0x2002], at: 1 },
];

/** A block list of addresses and CIDR networks. */
export function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", prefix] = network.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    list.addSubnet(address, Number(prefix ?? (family === "ipv6" ? 128 : 32)), family);
  }
  return list;
}

/** A refused address and its rule, such as "127.0.0.1" and "loopback (127.0.0.0/8)". */
type AddressRefusal = { address: string; rule: string };

/**
 * Why a receiver at this address is refused, or undefined if it is allowed. An IPv4 address embedded in IPv6 (mapped,
 * compatible, SIIT, NAT64, 6to4, ISATAP) is checked as IPv4. Addresses in `allowed` are never refused.
 */
export function refusalOfAddress(address: string, allowed: BlockList): AddressRefusal | undefined {
  const plain = address.split("%", 1)[0] ?? "";
  const family = isIP(plain);
  if (family === 0) return { address, rule: "no IP address" };
  const carried = family === 6 ? carriedAddress(plain) : undefined;
  const judged = carried?.address ?? plain;
  const within = (list: BlockList, of: string) => list.check(of, isIP(of) === 6 ? "ipv6" : "ipv4");
  if (within(allowed, judged) || within(allowed, plain)) return undefined;
  // Compares the family too: otherwise Node matches every IPv4 address with ::/3 in its IPv4-mapped form.
  const ruleOf = (of: string) => rules.find((each) => each.family === isIP(of) && within(each.list, of));
  const found = ruleOf(judged) ?? (carried?.form === "ISATAP" ? ruleOf(plain) : undefined);
  return (
    found && {
      address: carried ? `${address} (${carried.form} of ${judged})` : address,
      rule: `${found.rule} (${found.network})`,
    }
  );
}

function carriedAddress(address: string): { form: string; address: string } | undefined {
  const groups = groupsOf(address);
  if (groups.slice(0, 7).every((group) => group === 0) && (groups[7] ?? 0) <= 1) return undefined; // :: and ::1
  // An ISATAP address can have any prefix. Its interface id starts with 0:5efe, with or without the "universal" bit.
  const isatap = ((groups[4] ?? 0) & 0xfdff) === 0 && groups[5] === 0x5efe ? { form: "ISATAP", at: 6 } : undefined;
  const carrier = carriers.find(({ prefix }) => prefix.every((group, index) => groups[index] === group)) ?? isatap;
  if (!carrier) return undefined;
  const [high = 0, low = 0] = groups.slice(carrier.at);
  return { form: carrier.form, address: [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".") };
}

/** The eight 16-bit groups of an IPv6 address, as the URL parser normalises it. */
function groupsOf(address: string): number[] {
  const normal = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = "", tail] = normal.split("::");
  const parse = (text: string) => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
  const before = parse(head);
  const after = parse(tail ?? "");
  return [...before, ...new Array(8 - before.length - after.length).fill(0), ...after];
}
