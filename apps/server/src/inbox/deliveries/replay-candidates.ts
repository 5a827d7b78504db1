import { clockSlackMs, idAt } from "../../platform/uuid-time.ts";
import { filteredBySql } from "../subscribers/filter-sql.ts";

/** The event ids that bound a time range. */
export const idsAround = (from: Date, until: Date) => ({
  first: idAt(from.getTime() - clockSlackMs),
  last: idAt(until.getTime() + clockSlackMs),
});

/**
 * A query over the events of `scanned` (app_id, id). `is_wanted` says whether to send an event to `subscriber` (id,
 * filter): it meets `condition`, the current filter matches, and it was not delivered yet or `again` is true.
 * `delivery_id` is the existing delivery, if any.
 */
export const judgedSql = (scanned: string, subscriber: string, again: string, condition = "true") => `
  select ${scanned}.id, delivery.id as delivery_id,
    ${condition} and (delivery.id is null or delivery.state = 'dead' or (delivery.state = 'delivered' and ${again}))
    and ${filteredBySql(
      `${subscriber}.filter`,
      "coalesce(summary.facets, '{}')",
      `exists (select from event_summaries earlier where earlier.app_id = summary.app_id and earlier.hash = summary.hash
        and (earlier.received_at, earlier.event_id) < (summary.received_at, summary.event_id))`,
    )} is null as is_wanted
  from ${scanned} cross join ${subscriber}
  left join event_summaries summary on summary.app_id = ${scanned}.app_id and summary.event_id = ${scanned}.id
  left join deliveries delivery on delivery.app_id = ${scanned}.app_id and delivery.event_id = ${scanned}.id
    and delivery.subscriber_id = ${subscriber}.id and delivery.message_number is null`;
