import { lookup } from "node:dns/promises";
import { type BlockList, isIP } from "node:net";
import { Agent, buildConnector } from "undici";
import { blockListOf, refusalOfAddress } from "./address-rules.ts";

/** The addresses of a host name. */
export type ResolveHost = (hostname: string) => Promise<{ address: string; family: number }[]>;

/** The addresses of a host from this machine's resolver. */
export const resolveHost: ResolveHost = (hostname) => lookup(hostname, { all: true });

/** A connection that was refused because of its address. */
export class AddressRefused extends Error {
  override name = "AddressRefused";
}

const connectTimeoutMs = 10_000;

/**
 * The agent for requests to addresses that users configure. Checks each address that a name resolves to when it
 * connects, and connects to the checked addresses without another lookup. Does not follow redirects. Throws
 * `AddressRefused` if one of the addresses is not allowed.
 */
export function openOutboundAgent(allowedNetworks: readonly string[], resolve: ResolveHost): Agent {
  const allowed = blockListOf(allowedNetworks);
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    allowH2: false,
    lookup: (hostname, { all }, callback) => {
      resolveAllowed(hostname, resolve, allowed).then(
        (addresses) => {
          if (all) callback(null, addresses);
          else callback(null, addresses[0]?.address ?? "", addresses[0]?.family);
        },
        (error: NodeJS.ErrnoException) => callback(error, ""),
      );
    },
  });
  return new Agent({
    connect: (options, callback) => {
      // IP addresses are not looked up.
      const refusal = isIP(options.hostname) === 0 ? undefined : refusalOfAddress(options.hostname, allowed);
      if (refusal) callback(new AddressRefused(`${refusal.address} is ${refusal.rule}`), null);
      else connect(options, callback);
    },
  });
}

async function resolveAllowed(hostname: string, resolve: ResolveHost, allowed: BlockList) {
  const addresses = await resolve(hostname);
  if (addresses.length === 0) throw new Error(`${hostname} has no address`);
  for (const { address } of addresses) {
    const refusal = refusalOfAddress(address, allowed);
    if (refusal) throw new AddressRefused(`${hostname} resolves to ${refusal.address}, which is ${refusal.rule}`);
  }
  return addresses;
}
