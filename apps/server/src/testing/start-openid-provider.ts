import { once } from "node:events";
import { createServer } from "node:http";
import { Provider } from "oidc-provider";
import { freePort } from "./free-port.ts";

/** A person's account at a provider. */
type Account = { email?: string; email_verified?: boolean; name?: string; roles?: string[] };

/** A real OpenID Connect provider, which immediately signs in the chosen account. */
export type OpenIdProvider = AsyncDisposable & {
  issuer: string;
  clientId: string;
  clientSecret: string;
  accounts: Map<string, Account>;
  /** Chooses the account that it signs in from now on, in any browser. */
  signsIn: (account: string) => void;
  /** Follows a browser's redirects through the provider; returns the query of the final redirect back. */
  follow: (url: string) => Promise<string>;
};

/** Starts a provider with one client, which has this redirect URI. */
export async function startOpenIdProvider(redirectUri: string): Promise<OpenIdProvider> {
  const issuer = `http://127.0.0.1:${await freePort()}`;
  const client = { clientId: "lodge", clientSecret: "the secret of this client" };
  const accounts = new Map<string, Account>();
  let account = "";
  const provider = new Provider(issuer, {
    clients: [{ client_id: client.clientId, client_secret: client.clientSecret, redirect_uris: [redirectUri] }],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "roles"] },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...accounts.get(sub) }) }),
    cookies: { keys: ["the key of the provider's cookies"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    loadExistingGrant: async ({ oidc }) => {
      const { accountId } = oidc.session ?? {};
      const grant = new provider.Grant({ clientId: client.clientId, ...(accountId && { accountId }) });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
    pkce: { required: () => true },
  });
  const answer = provider.callback();
  const server = createServer((request, response) => {
    if (!request.url?.startsWith("/interaction/")) return void answer(request, response);
    void provider.interactionFinished(request, response, { login: { accountId: account, remember: false } });
  });
  server.listen(Number(new URL(issuer).port), "127.0.0.1");
  await once(server, "listening");
  return {
    issuer,
    ...client,
    accounts,
    signsIn: (next) => {
      account = next;
    },
    follow: (url) => followUntil(url, redirectUri),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function followUntil(url: string, end: string): Promise<string> {
  const cookies = new Map<string, string>();
  for (let at = url, hops = 0; hops < 10; hops++) {
    if (at.startsWith(`${end}?`)) return new URL(at).search;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(at, { redirect: "manual", headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const next = answer.headers.get("location");
    if (!next) throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`);
    at = new URL(next, at).href;
  }
  throw new Error("the provider sends the browser around");
}
