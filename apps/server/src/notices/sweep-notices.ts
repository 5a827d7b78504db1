import type { Deps } from "../platform/deps.ts";

const noticeMs = 90 * 86_400_000;

/** Forgets notices after 90 days, read or not. The worker runs it every night. */
export async function sweepNotices({ db, clock }: Pick<Deps, "db" | "clock">): Promise<void> {
  await db
    .deleteFrom("notices")
    .where("created_at", "<", new Date(clock.now().getTime() - noticeMs))
    .execute();
}
