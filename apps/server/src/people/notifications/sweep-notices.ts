import type { Deps } from "../../platform/deps.ts";

const noticeMs = 90 * 86_400_000;

/** Deletes notifications and happenings after 90 days, read or not. The worker runs it every night. */
export async function sweepNotices({ db, clock }: Pick<Deps, "db" | "clock">): Promise<void> {
  const until = new Date(clock.now().getTime() - noticeMs);
  await db.deleteFrom("notices").where("created_at", "<", until).execute();
  await db.deleteFrom("happenings").where("created_at", "<", until).execute();
}
