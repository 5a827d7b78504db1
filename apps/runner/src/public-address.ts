import { lookup } from "node:dns/promises";
import ipaddr from "ipaddr.js";

/** The addresses of a host name. */
export type ResolveHost = (host: string) => Promise<{ address: string; family: number }[]>;

/** The addresses of a host from this machine's resolver. */
export const resolveHost: ResolveHost = (host) => lookup(host, { all: true });

/** Networks that are open though they are not public. */
export type Networks = readonly ReturnType<typeof ipaddr.parseCIDR>[];

/** Reads an address or a network, as `--allow-network` takes it; undefined for anything else. */
export function parseNetwork(text: string): Networks[number] | undefined {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  if (!ipaddr.isValid(text)) return undefined;
  const address = ipaddr.parse(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/** All that is routed on the internet; what carries an IPv4 address in IPv6 lies outside, or in a range with a name. */
const global = ipaddr.parseCIDR("2000::/3");
const nat64 = ipaddr.parseCIDR("64:ff9b::/96");
/** Where Azure serves its machines from: public by its number alone. */
const azure = "168.63.129.16";

/** Whether an address is a public one of the internet, or lies in a network that is open. An IPv4 address inside an IPv6 one is judged as itself. */
export function isReachable(text: string, open: Networks): boolean {
  const plain = text.split("%", 1)[0] ?? "";
  if (!ipaddr.isValid(plain)) return false;
  const address = carriedBy(ipaddr.process(plain));
  if (open.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))) return true;
  if (address.range() !== "unicast" || address.toString() === azure) return false;
  return address.kind() === "ipv4" || address.match(global);
}

/** NAT64 is how a network with IPv6 alone reaches IPv4. */
function carriedBy(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  const isNat64 = address.kind() === "ipv6" && address.match(nat64);
  return isNat64 ? ipaddr.fromByteArray(address.toByteArray().slice(12)) : address;
}
