import { dropApp } from "../../inbox/apps/delete-app.ts";
import { eraseDeliveries } from "../../inbox/deliveries/erase-deliveries.ts";
import { eraseProblemsOfApp } from "../../inbox/problems/erase-problems-of-app.ts";
import { eraseReportsOfApp } from "../../inbox/reports/erase-reports-of-app.ts";
import { eraseSourceMapsOfApp } from "../../inbox/source-maps/erase-source-maps-of-app.ts";
import { dropSubscriber } from "../../inbox/subscribers/delete-subscriber.ts";
import { eraseSubscribersOfApp } from "../../inbox/subscribers/erase-subscribers-of-app.ts";
import type { Deps } from "../../platform/deps.ts";
import { eachByItself } from "../../platform/each-by-itself.ts";
import { allOf } from "./all-of.ts";

/** It starts again every minute, so that recent deletions do not wait for it. */
const runMsMax = 55_000;
/** Every upload ends sooner: a report that was under way when its app was deleted still finds the row. */
const straysMs = 3_600_000;
const subscribersMax = 100;

/**
 * Deletes the data of the subscribers and apps that people have deleted, pausing after each step for as long as it
 * took; then the subscribers and apps themselves, an app after an hour. Can be stopped at any point and run again.
 */
export async function eraseDeleted(deps: Pick<Deps, "db" | "store" | "clock" | "log">): Promise<void> {
  const { db, clock } = deps;
  const endsAt = performance.now() + runMsMax;
  const subscribers = await db
    .selectFrom("subscribers")
    .innerJoin("apps", "apps.id", "subscribers.app_id")
    .select(["subscribers.app_id", "subscribers.id"])
    .where("subscribers.deleted_at", "is not", null)
    .where("apps.deleted_at", "is", null)
    .orderBy("subscribers.deleted_at")
    .limit(subscribersMax)
    .execute();
  await eachByItself(deps, "deleting subscribers", subscribers, async ({ app_id, id }) => {
    if (await allOf(eraseDeliveries(db, app_id, id), endsAt)) await dropSubscriber(db, app_id, id);
  });
  const apps = await db
    .selectFrom("apps")
    .select(["id", "deleted_at"])
    .where("deleted_at", "is not", null)
    .orderBy("deleted_at")
    .execute();
  await eachByItself(deps, "deleting apps", apps, async ({ id, deleted_at }) => {
    const steps = [
      eraseReportsOfApp(deps, id),
      eraseProblemsOfApp(db, id),
      eraseSourceMapsOfApp(deps, id),
      eraseSubscribersOfApp(db, id),
    ];
    for (const each of steps) if (!(await allOf(each, endsAt))) return;
    if (deleted_at && clock.now().getTime() - deleted_at.getTime() > straysMs) await dropApp(db, id);
  });
}
