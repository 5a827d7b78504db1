import type { ThreadSummary } from "@lodge/contract/dashboard/threads";
import type { Actor } from "../../people/access/find-actor.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { getThread } from "./get-thread.ts";

/** Closes a thread: from then on it is read-only. A closed thread stays as it is. Throws `thread_not_found`. */
export function closeThread({ db, clock }: Deps, actor: Actor, threadId: string): Promise<ThreadSummary> {
  const { organisationId, userId, name } = actor;
  return db.transaction().execute(async (tx) => {
    const closed = await tx
      .updateTable("threads")
      .set({ closed_at: clock.now(), closed_by_user_id: userId, closed_by_name: name })
      .where("organisation_id", "=", organisationId)
      .where("id", "=", threadId)
      .where("closed_at", "is", null)
      .returning(["event_id", "app_id"])
      .executeTakeFirst();
    if (closed) {
      const ids = { threadId, eventId: closed.event_id, appId: closed.app_id };
      await publish(tx, organisationId, { kind: "thread.changed", ...ids });
    }
    return getThread({ db: tx }, actor, threadId);
  });
}
