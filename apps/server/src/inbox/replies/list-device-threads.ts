import { type DeviceThreads, repliesPageMax } from "@lodge/contract/replies";
import type { Deps } from "../../platform/deps.ts";
import { threadUrl } from "./reply-token.ts";

/** The threads of a device with messages of the team that the reporter has not confirmed. */
export async function listDeviceThreads(deps: Deps, deviceId: string): Promise<DeviceThreads> {
  const rows = await deps.db
    .selectFrom("threads")
    .select(["id", "closed_at", "last_message_at"])
    .select((eb) =>
      eb
        .selectFrom("messages")
        .whereRef("messages.app_id", "=", "threads.app_id")
        .whereRef("messages.thread_id", "=", "threads.id")
        .whereRef("messages.number", ">", "threads.read_number")
        .where("author", "=", "team")
        .select((count) => count.fn.countAll<number>().as("unread"))
        .as("unread"),
    )
    .where("device_id", "=", deviceId)
    .where("message_count", ">", 0)
    .whereRef("team_number", ">", "read_number")
    .orderBy("last_message_at", "desc")
    .orderBy("id", "desc")
    .limit(repliesPageMax)
    .execute();
  return {
    threads: rows.map(({ id, closed_at, last_message_at, unread }) => ({
      id,
      url: threadUrl(deps, id),
      closed: closed_at !== null,
      unread: unread ?? 0,
      lastMessageAt: new Date(last_message_at ?? 0).toISOString(),
    })),
  };
}
