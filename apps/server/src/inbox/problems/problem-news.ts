import type pg from "pg";
import { recordHappeningsSql } from "../../people/notifications/record-happenings.ts";
import { preparedStatement } from "../../platform/database/statements.ts";
import { addJobsSql } from "../../platform/jobs/jobs.ts";

/** A problem that is new, reopened or exceeding a spike limit, with the event that made it so. */
export type News = {
  app_id: string;
  problem_id: string;
  event_id: string;
  kind: "new" | "back" | "spike";
  /** The owner of the exceeded limit: the app or a subscriber. */
  rule_id?: string;
};

/** The task that sends an event with news to the subscribers that want it. */
export const newsTask = "deliver_news";

/** The payload of the task. `subscriberId` is the subscriber whose limit was exceeded; null if the problem reopened. */
export type NewsPayload = { appId: string; eventId: string; subscriberId: string | null };

/**
 * The problems of an app that members are notified of within an hour; after that, one notification says that there are
 * more. A limit is needed because anybody with an SDK key can create any number of problems.
 */
const toldAnHourMax = 20;

const about = `json_build_object('id', news.problem_id, 'title', problems.title, 'isNew', news.kind = 'new',
      'isBack', news.kind = 'back', 'events', problems.event_count,
      'users', least(problems.user_count, problems.event_count))`;

const recordStatement = preparedStatement({
  name: "record_problem_news",
  parameters: { news: "json", at: "timestamptz" },
  row: { told: "integer" },
  text: ({ news, at }) => `with news as materialized (
    select *, row_number() over (partition by app_id order by event_id, kind) as place
    from json_to_recordset(${news}) as news(app_id uuid, problem_id uuid, event_id uuid, kind text, rule_id uuid)
  ), told as materialized (
    select details ->> 'appId' as app_id, count(*) as count from happenings
    where created_at > ${at} - interval '1 hour' and kind in ('problem.new', 'problem.back', 'problem.spike')
    group by 1
  ), ranked as materialized (
    select news.*, apps.organisation_id, apps.name as app,
      place + coalesce(told.count, 0) <= ${toldAnHourMax} as is_told,
      case when news.kind = 'spike' then json_build_object('events', spike_events, 'minutes', spike_minutes) end as spike
    from news join apps on apps.id = news.app_id left join told on told.app_id = news.app_id::text
  ), happening as (${recordHappeningsSql(`
    select news.organisation_id, 'problem.' || news.kind, news.problem_id || ' ' || news.event_id,
      jsonb_strip_nulls(jsonb_build_object('appId', news.app_id, 'app', news.app, 'problem', ${about},
        'eventId', news.event_id, 'version', summary.version, 'environment', summary.environment, 'spike', spike)), ${at}
    from ranked news
    join problems on problems.app_id = news.app_id and problems.id = news.problem_id
    left join event_summaries summary on summary.app_id = news.app_id and summary.event_id = news.event_id
    where is_told
    union all
    select distinct organisation_id, 'problem.new', 'more ' || app_id || ' ' || date_trunc('hour', ${at}, 'UTC'),
      jsonb_build_object('appId', app_id, 'app', app), ${at}
    from ranked where not is_told`)}
    returning id
  )
  select count(*)::integer as told from happening`,
});

/** Records news of problems once for the members of their organisations, in the transaction that counts the events. */
export async function recordNews(client: pg.PoolClient, news: readonly News[], at: Date): Promise<void> {
  // The limit of a subscriber concerns only that subscriber.
  const ofTeam = news.filter(({ kind, rule_id, app_id }) => kind !== "spike" || rule_id === app_id);
  if (ofTeam.length > 0) await recordStatement(client, { news: JSON.stringify(ofTeam), at });
}

const queueStatement = preparedStatement({
  name: "queue_problem_news",
  parameters: { news: "json" },
  row: { id: "bigint" },
  text: ({ news }) =>
    addJobsSql(
      newsTask,
      `select json_build_object('appId', app_id, 'eventId', event_id, 'subscriberId', rule_id), now()
      from json_to_recordset(${news}) as news(app_id uuid, event_id uuid, rule_id uuid)
      where rule_id is not null or exists (
        select from subscribers where subscribers.app_id = news.app_id and filter is not null and enabled
          and (filter ->> 'back')::boolean)`,
    ),
});

/** Queues the jobs that send news to the subscribers that want it. Returns whether there are any. */
export async function queueNews(client: pg.PoolClient, news: readonly News[]): Promise<boolean> {
  const wanted = news.filter(
    ({ kind, rule_id, app_id }) => kind === "back" || (kind === "spike" && rule_id !== app_id),
  );
  if (wanted.length === 0) return false;
  return (await queueStatement(client, { news: JSON.stringify(wanted) })).length > 0;
}
