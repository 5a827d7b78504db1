/**
 * The reasons for which a filter can exclude an event: the field of the filter, and the prefix of the facets
 * (event_summaries.facets) that it matches.
 */
const dimensions = [
  { by: "kind", field: "kinds", facet: "kind:" },
  { by: "environment", field: "environments", facet: "environment:" },
  { by: "version", field: "versions", facet: "version:" },
  { by: "tag", field: "tags", facet: "tag:" },
  { by: "error type", field: "errorTypes", facet: "error:" },
];

/** The SQL expression of the first list by which a filter excludes an event; null if none does. */
export const excludingFacetSql = (filter: string, facets: string) => `case
    ${dimensions
      .map(
        ({ by, field, facet }) => `when ${filter} ? '${field}' and not exists (
      select from jsonb_array_elements_text(${filter} -> '${field}') wanted where '${facet}' || wanted = any(${facets}))
      then '${by}'`,
      )
      .join("\n    ")}
  end`;

/** Whether a filter wants only the first report of each problem, as an SQL expression. */
const wantsFirstSql = (filter: string) =>
  `coalesce((${filter} ->> 'firstOfProblem')::boolean, (${filter} ->> 'newProblemsOnly')::boolean, false)`;

/**
 * The SQL expression of the reason for which a filter excludes an event; null if the filter matches. `filter` is the
 * subscriber's, `facets` are the event's; `isRepeat` says whether its problem has occurred before. Reopened and spiking
 * problems are known only later: `deliver-news.ts` sends their events.
 */
export const filteredBySql = (filter: string, facets: string, isRepeat: string) => `case
    when ${filter} is not null then coalesce(${excludingFacetSql(filter, facets)}, case
      when ${wantsFirstSql(filter)} and ${isRepeat} then 'new problems only'
      when not ${wantsFirstSql(filter)} and (coalesce((${filter} ->> 'back')::boolean, false) or ${filter} ? 'spike')
        then 'problems that come back or occur often only'
    end)
  end`;

/**
 * The data of a report that an app's filters need, as an SQL expression: null for none, 1 for its facets, 2 for its
 * hashes as well.
 */
export const filterDepthSql = (appId: string) => `(
    select max(case when ${wantsFirstSql("filter")} then 2 else 1 end) from subscribers
    where subscribers.app_id = ${appId} and filter is not null and enabled)`;
