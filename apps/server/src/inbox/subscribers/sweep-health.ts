import type { Deps } from "../../platform/deps.ts";

const dayMs = 86_400_000;

/** After this a hash is among those of problems, or its event could not be read. */
const toldDays = 7;

/** Deletes the counts of hours whose retention is over, which is that of attempts, and hashes that problems have by now. */
export async function sweepHealth({ db, clock, config }: Pick<Deps, "db" | "clock" | "config">): Promise<void> {
  const before = new Date(clock.now().getTime() - config.deliveryRetentionDays * dayMs);
  await db.deleteFrom("subscriber_hours").where("hour", "<", before).execute();
  await db
    .deleteFrom("told_hashes")
    .where("told_at", "<", new Date(Date.now() - toldDays * dayMs))
    .execute();
}
