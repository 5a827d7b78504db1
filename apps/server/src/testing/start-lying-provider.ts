import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type Received, startReceiver } from "./start-receiver.ts";

/** A fake OpenID Connect provider that makes any claims, in ID tokens signed with its own key or another. */
export type LyingProvider = AsyncDisposable & {
  url: string;
  says: {
    claims: Record<string, unknown>;
    metadata: object;
    key: KeyObject;
    /** Runs before it answers who has signed in. */
    before: () => Promise<void>;
  };
  /** Its own key, with which its tokens are verified. */
  key: KeyObject;
};

/** Starts a fake provider. */
export async function startLyingProvider(): Promise<LyingProvider> {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const says: LyingProvider["says"] = { claims: {}, metadata: {}, key: privateKey, before: async () => {} };
  const receiver = await startReceiver(answer);

  function answer({ path }: Received, response: ServerResponse) {
    response.setHeader("content-type", "application/json");
    const send = (body: unknown) => response.end(JSON.stringify(body));
    if (path.startsWith("/.well-known/")) {
      return send({
        issuer: receiver.url,
        authorization_endpoint: `${receiver.url}/authorize`,
        token_endpoint: `${receiver.url}/token`,
        jwks_uri: `${receiver.url}/keys`,
        id_token_signing_alg_values_supported: ["ES256"],
        ...says.metadata,
      });
    }
    if (path === "/keys") return send({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1", use: "sig" }] });
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const signed = `${part({ alg: "ES256", kid: "1" })}.${part(says.claims)}`;
    const signature = sign("sha256", Buffer.from(signed), { key: says.key, dsaEncoding: "ieee-p1363" });
    return says
      .before()
      .then(() =>
        send({ access_token: "x", token_type: "Bearer", id_token: `${signed}.${signature.toString("base64url")}` }),
      );
  }

  return { url: receiver.url, says, key: privateKey, [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose]() };
}
