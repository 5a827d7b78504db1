import type { Deps } from "../platform/deps.ts";

const dayMs = 86_400_000;

/** Deletes the counts of hours whose retention is over, which is that of attempts. Returns how many went. */
export async function sweepHealth({ db, clock, config }: Pick<Deps, "db" | "clock" | "config">): Promise<number> {
  const before = new Date(clock.now().getTime() - config.deliveryRetentionDays * dayMs);
  const { numDeletedRows } = await db.deleteFrom("subscriber_hours").where("hour", "<", before).executeTakeFirst();
  return Number(numDeletedRows);
}
