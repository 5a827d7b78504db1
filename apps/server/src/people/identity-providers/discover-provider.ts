import { isIP } from "node:net";
import type { ClientAuth, Configuration, CustomFetchOptions } from "openid-client";
import { type Dispatcher, fetch as fetchBy } from "undici";
import type { Deps } from "../../platform/deps.ts";
import { describe, Refusal } from "../../platform/errors.ts";
import { blockListOf } from "../../platform/outbound/address-rules.ts";

const answerBytesMax = 1_000_000;
const timeoutSeconds = 10;

/** Lodge as a client of a provider. */
type Client = { issuer: string; clientId: string; clientSecret: string };

/**
 * Fetches a provider's configuration. Its address comes from an owner, so the rules for all such addresses apply, and
 * at most a megabyte of a response is read; without https, it must be an IP address that the operator has allowed.
 * Throws `provider_unreachable`.
 */
export async function discoverProvider(
  { config }: Pick<Deps, "config">,
  agent: Dispatcher,
  { issuer, clientId, clientSecret }: Client,
): Promise<Configuration> {
  const openid = await import("openid-client");
  const server = URL.parse(issuer);
  if (!server || (server.protocol !== "https:" && !isOpened(config.webhookAllowedNetworks, server))) {
    throw unreachable("its issuer URL must begin with https://");
  }
  const execute = [openid.enableNonRepudiationChecks];
  if (server.protocol === "http:") execute.push(openid.allowInsecureRequests);
  const authenticate: ClientAuth = (provider, ...rest) => {
    // A provider that does not say takes "basic" (OpenID Connect Discovery, section 3).
    const takesBasic = provider.token_endpoint_auth_methods_supported?.includes("client_secret_basic") ?? true;
    (takesBasic ? openid.ClientSecretBasic : openid.ClientSecretPost)(clientSecret)(provider, ...rest);
  };
  try {
    return await openid.discovery(server, clientId, undefined, authenticate, {
      timeout: timeoutSeconds,
      execute,
      [openid.customFetch]: (url: string, options: CustomFetchOptions) => fetchBounded(agent, url, options),
    });
  } catch (error) {
    throw unreachable(whyOf(error));
  }
}

const isOpened = (networks: readonly string[], { protocol, hostname }: URL) =>
  protocol === "http:" && isIP(hostname) === 4 && blockListOf(networks).check(hostname);

/** The refusal that says why a provider could not be reached. */
export const unreachable = (why: string): Refusal =>
  new Refusal("provider_unreachable", { message: `The identity provider cannot be reached: ${why}.` });

/** The message of a connection error, with its causes. */
export function whyOf(error: unknown): string {
  const said: string[] = [];
  for (let each: unknown = error; each instanceof Error && said.length < 4; each = each.cause) {
    const text = describe(each);
    if (!said.includes(text)) said.push(text);
  }
  return said.join(": ");
}

async function fetchBounded(agent: Dispatcher, url: string, options: CustomFetchOptions): Promise<Response> {
  const answer = await fetchBy(url, { ...(options as object), redirect: "manual", dispatcher: agent });
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.length;
    if (length > answerBytesMax) throw new Error("the answer is too long");
    chunks.push(chunk);
  }
  const headers = [...answer.headers].filter(([name]) => name === "content-type" || name === "www-authenticate");
  return new Response(length > 0 ? Buffer.concat(chunks) : null, { status: answer.status, headers });
}
