import type pg from "pg";
import { preparedStatement } from "../../platform/database/statements.ts";
import { clockSlackMs, idAt } from "../../platform/uuid-time.ts";
import type { News } from "./problem-news.ts";

const findRules = preparedStatement({
  name: "find_spike_rules",
  parameters: { appIds: "uuid[]" },
  row: { app_id: "uuid", rule_id: "uuid", events: "integer", minutes: "integer" },
  text: ({ appIds }) => `
    select id as app_id, id as rule_id, spike_events as events, spike_minutes as minutes
    from apps where id = any(${appIds}) and spike_events is not null
    union all
    select app_id, id, (filter -> 'spike' ->> 'events')::integer, (filter -> 'spike' ->> 'minutes')::integer
    from subscribers where app_id = any(${appIds}) and filter is not null and enabled and filter ? 'spike'`,
});

/**
 * Problems that exceed a limit now and did not in the limit's minutes before. Counts at most one event more than the
 * limit for each problem, by index.
 */
const noteSpikes = preparedStatement({
  name: "note_spikes",
  parameters: { touched: "json", now: "timestamptz" },
  row: { app_id: "uuid", problem_id: "uuid", rule_id: "uuid", is_news: "boolean" },
  text: ({ touched, now }) => `with touched as materialized (
    select * from json_to_recordset(${touched}) as touched(
      app_id uuid, problem_id uuid, rule_id uuid, events integer, seen_at timestamptz, since timestamptz, since_id uuid,
      quiet_until timestamptz)
  ), exceeding as materialized (
    select touched.* from touched
    join problems on problems.app_id = touched.app_id and problems.id = touched.problem_id
    where (state <> 'muted' or muted_until <= ${now}) and events < (
      select count(*) from (
        select from problem_hashes h
        join event_summaries e on e.app_id = h.app_id and e.hash = h.hash
        where h.app_id = touched.app_id and h.problem_id = touched.problem_id
          and e.received_at > touched.since and e.event_id >= touched.since_id
        limit touched.events + 1) counted)
  )
  insert into problem_spikes as known (app_id, problem_id, rule_id, above_at, quiet_until)
  select app_id, problem_id, rule_id, seen_at, quiet_until from exceeding order by app_id, problem_id, rule_id
  on conflict (app_id, problem_id, rule_id) do update
    set above_at = greatest(known.above_at, excluded.above_at), quiet_until = greatest(known.quiet_until, excluded.quiet_until)
  returning app_id, problem_id, rule_id, old.quiet_until is null or old.quiet_until < new.above_at as is_news`,
});

/** The last event of a problem in a batch. */
type Touched = { app_id: string; problem_id: string; event_id: string; seen_at: Date };

/** The problems of a batch that exceed a spike limit of their app or of one of its subscribers, once per spike. */
export async function findSpikes(client: pg.PoolClient, touched: readonly Touched[], now: Date): Promise<News[]> {
  const rules = await findRules(client, { appIds: [...new Set(touched.map(({ app_id }) => app_id))] });
  if (rules.length === 0) return [];
  const asked = touched.flatMap(({ event_id: _, ...problem }) =>
    rules
      .filter(({ app_id }) => app_id === problem.app_id)
      .map(({ rule_id, events, minutes }) => {
        const since = new Date(problem.seen_at.getTime() - minutes * 60_000);
        const quiet = new Date(problem.seen_at.getTime() + minutes * 60_000);
        const since_id = idAt(since.getTime() - clockSlackMs);
        return { ...problem, rule_id, events, since, since_id, quiet_until: quiet };
      }),
  );
  const noted = await noteSpikes(client, { touched: JSON.stringify(asked), now });
  return noted.flatMap(({ app_id, problem_id, rule_id, is_news }) => {
    const by = touched.find((problem) => problem.app_id === app_id && problem.problem_id === problem_id);
    return by && is_news ? [{ app_id, problem_id, rule_id, event_id: by.event_id, kind: "spike" as const }] : [];
  });
}
