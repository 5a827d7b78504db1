/**
 * The dimensions by which a filter can leave out an event, with the field of the filter and the facets
 * (event_summaries.facets) that it lists.
 */
const dimensions = [
  { by: "kind", field: "kinds", facet: "kind:" },
  { by: "environment", field: "environments", facet: "environment:" },
  { by: "version", field: "versions", facet: "version:" },
  { by: "tag", field: "tags", facet: "tag:" },
  { by: "error type", field: "errorTypes", facet: "error:" },
];

/** The SQL expression that says by which of its lists a filter leaves an event out, null where by none. */
export const facetsLeftOutSql = (filter: string, facets: string) => `case
    ${dimensions
      .map(
        ({ by, field, facet }) => `when ${filter} ? '${field}' and not exists (
      select from jsonb_array_elements_text(${filter} -> '${field}') wanted where '${facet}' || wanted = any(${facets}))
      then '${by}'`,
      )
      .join("\n    ")}
  end`;

/** That a filter wants the first report of each problem. */
const wantsFirstSql = (filter: string) =>
  `coalesce((${filter} ->> 'firstOfProblem')::boolean, (${filter} ->> 'newProblemsOnly')::boolean, false)`;

/**
 * The SQL expression that says by what a filter leaves an event out, null where it lets it through. `filter` is a
 * subscriber's, `facets` the event's; `isRepeat` says whether its problem has occurred before. That a problem came back or
 * occurs often is known later: `deliver-news.ts` sends those events.
 */
export const filteredBySql = (filter: string, facets: string, isRepeat: string) => `case
    when ${filter} is not null then coalesce(${facetsLeftOutSql(filter, facets)}, case
      when ${wantsFirstSql(filter)} and ${isRepeat} then 'new problems only'
      when not ${wantsFirstSql(filter)} and (coalesce((${filter} ->> 'back')::boolean, false) or ${filter} ? 'spike')
        then 'problems that come back or occur often only'
    end)
  end`;

/**
 * The amount of knowledge about a report that an app's filters need, as an SQL expression: null for nothing, 1 for its
 * facets, 2 for what it is recognised by as well.
 */
export const filterDepthSql = (appId: string) => `(
    select max(case when ${wantsFirstSql("filter")} then 2 else 1 end) from subscribers
    where subscribers.app_id = ${appId} and filter is not null and enabled)`;
