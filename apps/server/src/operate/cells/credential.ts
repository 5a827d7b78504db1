import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isSdkKey } from "../../inbox/apps/sdk-key.ts";
import { judgeLink } from "../../inbox/artifacts/artifact-links.ts";
import { isReplyToken } from "../../inbox/replies/reply-token.ts";
import { keyOfHead } from "../../inbox/sentry/read-key.ts";
import { readSessionToken } from "../../people/access/find-actor.ts";
import { hashSessionToken } from "../../people/access/session-token.ts";
import { hashLinkSecret } from "../../people/organisations/link-secret.ts";
import { hashTokenSecret, isTokenSecret } from "../../people/tokens/token-secret.ts";
import type { Deps } from "../../platform/deps.ts";

/**
 * The query that finds the organisation of each kind of credential in a cell, with one index lookup. It does not check
 * whether the credential is still valid, which its cell does with each request. A person without an organisation
 * belongs to the cell with their account.
 */
const queries = {
  token: "select organisation_id from tokens where secret_sha256 = $1",
  runner: "select organisation_id from runners where secret_sha256 = $1",
  key: "select organisation_id from sdk_keys join apps on apps.id = app_id where key = $1",
  thread: "select apps.organisation_id from threads join apps on apps.id = app_id where threads.id = $1",
  device: "select apps.organisation_id from threads join apps on apps.id = app_id where device_id = $1 limit 1",
  app: "select organisation_id from apps where id = $1",
  session: `select coalesce(active_organisation_id, (
      select organisation_id from members where members.user_id = sessions.user_id limit 1)) as organisation_id
     from sessions where token_sha256 = $1`,
  invitation: "select organisation_id, email from invitations where secret_sha256 = $1 or mailed_secret_sha256 = $1",
  subscription: "select organisation_id from subscribers where confirmation_sha256 = $1",
  passwordLink: `select (select organisation_id from members where members.user_id = password_links.user_id limit 1) as organisation_id
    from password_links where secret_sha256 = $1`,
  provider: "select id as organisation_id from organisations where slug = $1",
  passkey: `select (select organisation_id from members where members.user_id = passkeys.user_id limit 1) as organisation_id
    from passkeys where credential_id = $1`,
  // Placeholder people sign in in another cell; provider accounts sign in with their provider.
  person: `select (select organisation_id from members where members.user_id = users.id limit 1) as organisation_id
    from users where email = $1 and provider_organisation_id is null and (
      exists (select from passwords where user_id = users.id) or exists (select from members where user_id = users.id))`,
};

/** The kinds of credentials. */
export type Kind = keyof typeof queries;

/** A credential that shows which cell a request is for. The directory records `kept` ones when they are found. */
export type Credential = { kind: Kind; sha256: Buffer; query: string; value: string | Buffer };

export const credential = (kind: Kind, value: string | Buffer): Credential => ({
  kind,
  sha256: hash("sha256", `${kind}:${typeof value === "string" ? value : value.toString("hex")}`, "buffer"),
  query: queries[kind],
  value,
});

/** The part of a request's body that shows which cell it is for. */
export type InBody = "email" | "passkey";

const uuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

/**
 * The credential in the head of a request, or where to find it in the body; undefined if the request is for no cell, or
 * its credential is not one that we could have issued.
 */
export function readCredential(
  deps: Deps,
  { method, url = "/", headers }: IncomingMessage,
): Credential | InBody | undefined {
  const [path = "/", query = ""] = url.split("?", 2);
  if (!path.startsWith("/api/") && path !== "/metrics" && path !== "/mcp") return undefined;
  const [, , room, subject = "", id = ""] = path.split("/");
  if (room === "dashboard") return readDashboardCredential(deps, method, path, headers.cookie);
  if (room === "artifacts") {
    const search = new URLSearchParams(query);
    const linked = { appId: subject, eventId: id, part: path.split("/")[5] ?? "" };
    const verdict = judgeLink(deps, linked, Number(search.get("expires")), search.get("signature") ?? "");
    return verdict === "valid" && uuid.test(subject) ? credential("app", subject.toLowerCase()) : undefined;
  }
  if ((subject === "envelope" || subject === "store") && /^\d+$/.test(room ?? "")) {
    const key = keyOfHead(headers, url);
    return key !== undefined && isSdkKey(key) ? credential("key", key) : undefined;
  }
  const secret = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1];
  if (secret === undefined) return undefined;
  if (room === "ingest" || room === "config") return isSdkKey(secret) ? credential("key", secret) : undefined;
  if (room === "threads" || room === "devices") {
    const kind = room === "threads" ? "thread" : "device";
    return uuid.test(subject) && isReplyToken(deps, headers.authorization, kind, subject)
      ? credential(kind, subject.toLowerCase())
      : undefined;
  }
  if (path.startsWith("/api/v1/runner/")) {
    return isTokenSecret(secret, "ldgrun_") ? credential("runner", hashTokenSecret(secret)) : undefined;
  }
  return isTokenSecret(secret) ? credential("token", hashTokenSecret(secret)) : undefined;
}

function readDashboardCredential(
  deps: Deps,
  method: string | undefined,
  path: string,
  cookies: string | undefined,
): Credential | InBody | undefined {
  const [, , , subject, id] = path.split("/");
  if (method === "POST" && (path === "/api/dashboard/session" || path === "/api/dashboard/password-links")) {
    return "email";
  }
  if (path === "/api/dashboard/passkey-sign-ins/completion") return "passkey";
  if (id !== undefined && id.length <= 200) {
    if (subject === "invitation-links") return credential("invitation", hashLinkSecret(id));
    if (subject === "subscriptions") return credential("subscription", hashLinkSecret(id));
    if (subject === "password-links") return credential("passwordLink", hashLinkSecret(id));
    if (subject === "provider-sign-ins") return credential("provider", id);
  }
  const token = readSessionToken(deps, cookies);
  return token === undefined ? undefined : credential("session", hashSessionToken(token));
}
