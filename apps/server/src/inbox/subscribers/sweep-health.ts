import type { Deps } from "../../platform/deps.ts";

const dayMs = 86_400_000;

/** By then a hash belongs to a problem, or its event could not be read. */
const toldDays = 7;

/** Deletes hourly counts with the retention of attempts, and hashes that belong to problems by now. */
export async function sweepHealth({ db, clock, config }: Pick<Deps, "db" | "clock" | "config">): Promise<void> {
  const before = new Date(clock.now().getTime() - config.deliveryRetentionDays * dayMs);
  await db.deleteFrom("subscriber_hours").where("hour", "<", before).execute();
  await db
    .deleteFrom("told_hashes")
    .where("told_at", "<", new Date(Date.now() - toldDays * dayMs))
    .execute();
}
