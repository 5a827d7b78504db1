import { preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import type { NewsPayload } from "../problems/problem-news.ts";
import { excludingFacetSql } from "../subscribers/filter-sql.ts";
import { wakeSubscribersSql } from "../subscribers/wake-subscribers.ts";
import { insertDeliveriesSql } from "./insert-deliveries.ts";

const statement = preparedStatement({
  name: "deliver_news",
  parameters: { appId: "uuid", eventId: "uuid", subscriberId: "uuid?" },
  row: { id: "bigint" },
  text: ({ appId, eventId, subscriberId }) => `with event as materialized (
    select app_id, event_id as id, facets from event_summaries where app_id = ${appId} and event_id = ${eventId}
  ), subscribed as materialized (
    select subscribers.app_id, subscribers.id from subscribers cross join event
    where subscribers.app_id = ${appId} and filter is not null and enabled
      and case when ${subscriberId} is null then (filter ->> 'back')::boolean else subscribers.id = ${subscriberId} and filter ? 'spike' end
      and ${excludingFacetSql("filter", "event.facets")} is null
  ), delivery as (${insertDeliveriesSql("event", "subscribed", undefined, undefined, "on conflict do nothing")}
  )
  ${wakeSubscribersSql("select app_id, json_agg(distinct subscriber_id), now() from delivery group by app_id")}`,
});

/**
 * Sends an event that reopened its problem, or made it exceed a subscriber's limit, to the subscribers that want such
 * events: once each, however often this runs.
 */
export async function deliverNews(
  deps: Pick<Deps, "pool" | "announceJobs">,
  { appId, eventId, subscriberId }: NewsPayload,
): Promise<void> {
  const woken = await statement(deps.pool, { appId, eventId, subscriberId: subscriberId ?? undefined });
  if (woken.length > 0) deps.announceJobs();
}
