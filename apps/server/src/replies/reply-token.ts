import { createHmac, hash, timingSafeEqual } from "node:crypto";
import type { DeviceAccess, ThreadAccess } from "@lodge/contract/replies";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";

/** What a token opens. */
type Door = "thread" | "device";

/** The thread of an event and the device that may list it. */
export type Thread = { threadId: string; deviceId: string };

/** What a receipt tells of an event's thread (interface section 2.5): the same at every time of asking. */
export function describeThread(
  deps: Deps,
  { threadId, deviceId }: Thread,
): { thread: ThreadAccess; device: DeviceAccess } {
  return {
    thread: { id: threadId, token: replyToken(deps, "thread", threadId), url: threadUrl(deps, threadId) },
    device: { id: deviceId, token: replyToken(deps, "device", deviceId) },
  };
}

/** The address of a thread's messages. */
export const threadUrl = ({ urls }: Deps, threadId: string) => `${urls.ingest}/api/threads/${threadId}/messages`;

/** Throws `invalid_reply_token` where a request's bearer token is not the one of this very thread or device. */
export function checkReplyToken(deps: Deps, authorization: string | undefined, door: Door, id: string): void {
  const sent = sha256(/^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1] ?? "");
  if (!timingSafeEqual(sent, sha256(replyToken(deps, door, id.toLowerCase())))) {
    throw new Refusal("invalid_reply_token", {}, { "www-authenticate": "Bearer" });
  }
}

/** Nothing is stored of a token: it is the id, signed. */
const replyToken = ({ secret }: Deps, door: Door, id: string) =>
  `ldg${door}_${createHmac("sha256", secret).update(`${door}:${id}`).digest("base64url")}`;

const sha256 = (text: string) => hash("sha256", text, "buffer");
