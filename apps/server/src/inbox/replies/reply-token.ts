import { createHmac, hash, timingSafeEqual } from "node:crypto";
import type { DeviceAccess, ThreadAccess } from "@lodge/contract/replies";
import { deriveKey } from "../../platform/config/derive-key.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";

/** The kinds of things that a reply token gives access to. */
type TokenScope = "thread" | "device";

/** The thread of an event, and the device that may list it. */
export type Thread = { threadId: string; deviceId: string };

/** The receipt's description of an event's thread (interface section 2.5). It is always the same. */
export function describeThread(
  deps: Deps,
  { threadId, deviceId }: Thread,
): { thread: ThreadAccess; device: DeviceAccess } {
  return {
    thread: { id: threadId, token: replyToken(deps, "thread", threadId), url: threadUrl(deps, threadId) },
    device: { id: deviceId, token: replyToken(deps, "device", deviceId) },
  };
}

/** The URL of a thread's messages. */
export const threadUrl = ({ urls }: Deps, threadId: string) => `${urls.ingest}/api/threads/${threadId}/messages`;

/**
 * Throws `invalid_reply_token` unless a request's bearer token is the one of this thread or device. Also accepts tokens
 * from before reply tokens had a signing key of their own, since devices may keep theirs for any time.
 */
export function checkReplyToken(deps: Deps, authorization: string | undefined, scope: TokenScope, id: string): void {
  if (!isReplyToken(deps, authorization, scope, id)) {
    throw new Refusal("invalid_reply_token", {}, { "www-authenticate": "Bearer" });
  }
}

/** Whether a request's bearer token is the one of this thread or device. */
export function isReplyToken(deps: Deps, authorization: string | undefined, scope: TokenScope, id: string): boolean {
  const sent = sha256(/^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1] ?? "");
  const good = [replyToken(deps, scope, id.toLowerCase()), signedToken(deps.secret, scope, id.toLowerCase())];
  return good.some((token) => timingSafeEqual(sent, sha256(token)));
}

/** Tokens are not stored: a token is the signed id. */
const replyToken = (deps: Deps, scope: TokenScope, id: string) => signedToken(replyKey(deps), scope, id);

const signedToken = (key: string | Buffer, scope: TokenScope, id: string) =>
  `ldg${scope}_${createHmac("sha256", key).update(`${scope}:${id}`).digest("base64url")}`;

const keys = new WeakMap<Deps, Buffer>();

function replyKey(deps: Deps): Buffer {
  const key = keys.get(deps) ?? deriveKey(deps.secret, "reply tokens");
  keys.set(deps, key);
  return key;
}

const sha256 = (text: string) => hash("sha256", text, "buffer");
