import { lookup } from "node:dns/promises";
import ipaddr from "ipaddr.js";

/** The addresses of a host name. */
export type ResolveHost = (host: string) => Promise<{ address: string; family: number }[]>;

/** The addresses of a host from this machine's resolver. */
export const resolveHost: ResolveHost = (host) => lookup(host, { all: true });

/** Private networks that are allowed. */
export type Networks = readonly ReturnType<typeof ipaddr.parseCIDR>[];

/** Parses an address or network of `--allow-network`; undefined if it is invalid. */
export function parseNetwork(text: string): Networks[number] | undefined {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  if (!ipaddr.isValid(text)) return undefined;
  const address = ipaddr.parse(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/** The public IPv6 range. Addresses with an embedded IPv4 address are outside it or in a named range. */
const global = ipaddr.parseCIDR("2000::/3");
const nat64 = ipaddr.parseCIDR("64:ff9b::/96");
/** Azure's internal service address, which looks public. */
const azure = "168.63.129.16";

/** Whether an address is public or in an allowed network. An IPv4 address embedded in IPv6 is checked as IPv4. */
export function isReachable(text: string, open: Networks): boolean {
  const plain = text.split("%", 1)[0] ?? "";
  if (!ipaddr.isValid(plain)) return false;
  const address = carriedBy(ipaddr.process(plain));
  if (open.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))) return true;
  if (address.range() !== "unicast" || address.toString() === azure) return false;
  return address.kind() === "ipv4" || address.match(global);
}

/** The IPv4 address in a NAT64 address, which IPv6-only networks use to reach IPv4. */
function carriedBy(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  const isNat64 = address.kind() === "ipv6" && address.match(nat64);
  return isNat64 ? ipaddr.fromByteArray(address.toByteArray().slice(12)) : address;
}
