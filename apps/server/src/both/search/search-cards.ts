import type { FoundCards, SearchQuery } from "@lodge/contract/dashboard/search";
import type pg from "pg";
import { searches } from "../../board/boards/list-cards.ts";
import { readNumber } from "../../board/tickets/says-text.ts";
import { findRecentStart } from "../../inbox/problems/newest-first.ts";
import type { Actor } from "../../people/access/find-actor.ts";
import { containing, rarestPart, sampled, sampledLengthMax } from "../../platform/database/rarest-part.ts";
import { preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import { type Asked, asking, has } from "./asked.ts";
import { findReported } from "./find-reported.ts";

const foundMax = 20;
/** This many of the newest tickets are scanned, which finds new cards and common words. */
const probedTickets = 2_000;
/** Shorter texts have no trigram to look up. */
const indexedLengthMin = 3;

const listCards = preparedStatement({
  name: "list_found_cards",
  parameters: { organisationId: "uuid", ids: "uuid[]" },
  row: {
    id: "uuid",
    number: "text?",
    title: "text",
    archived: "boolean",
    column_id: "uuid",
    column_name: "text",
    board_id: "uuid",
    board_name: "text",
    project_id: "uuid",
    project_name: "text",
  },
  text: ({ organisationId, ids }) => `select t.id, upper(numbers.slug) || '-' || number as number, t.title,
    t.archived_at is not null as archived, t.column_id, c.name as column_name, b.id as board_id, b.name as board_name,
    p.id as project_id, p.name as project_name
  from tickets t
  join columns c on c.organisation_id = t.organisation_id and c.id = t.column_id
  join boards b on b.organisation_id = t.organisation_id and b.id = c.board_id
  join projects p on p.organisation_id = t.organisation_id and p.id = b.project_id
  left join ticket_numbers numbered on numbered.organisation_id = t.organisation_id and numbered.ticket_id = t.id
  left join projects numbers on numbers.organisation_id = numbered.organisation_id and numbers.id = numbered.project_id
  where t.organisation_id = ${organisationId} and t.id = any(${ids})
  order by array_position(${ids}, t.id)`,
});

/**
 * The organisation's cards that contain a text, and the problems and reports of its apps. First the card with this
 * number, then title matches, newest first, then description matches. Texts of fewer than three characters are searched
 * in the newest 2,000 cards, and in older ones that were filed at least a minute ago. Throws `rate_limit_exceeded` if
 * the organisation searches too much at once.
 */
export async function searchCards(deps: Deps, { organisationId }: Actor, query: SearchQuery): Promise<FoundCards> {
  const { pool } = deps;
  const text = query.text.trim();
  const pattern = containing(text);
  const isIndexed = [...text].length >= indexedLengthMin;
  const { promise: asked, resolve: ask } = Promise.withResolvers<Asked | undefined>();
  // Two searches at the same time. The first tells the second what to look up, and so takes its turn first.
  const [[problems, reports], cards] = await Promise.all([
    searches(organisationId, async () => {
      ask(isIndexed ? askFor(deps, organisationId, text) : undefined);
      return findReported(pool, organisationId, text, await asked);
    }),
    searches(organisationId, () => findCards(pool, { organisationId, pattern, ...readNumber(text) }, asked)),
  ]);
  return {
    cards: cards.map((row) => ({
      id: row.id,
      number: row.number,
      title: row.title,
      project: { id: row.project_id, name: row.project_name },
      board: { id: row.board_id, name: row.board_name },
      archived: row.archived,
      column: { id: row.column_id, name: row.column_name },
    })),
    problems: problems.map(({ id, title, app_id, app_name }) => ({ id, title, app: { id: app_id, name: app_name } })),
    reports: reports.map(({ id, kind, title, app_id, app_name }) => ({
      id,
      kind,
      title,
      app: { id: app_id, name: app_name },
    })),
  };
}

async function askFor({ db, pool, clock }: Deps, organisationId: string, text: string): Promise<Asked> {
  const sample = async () => readSample(pool, { organisationId, since: await findRecentStart(db, clock.now()) });
  const { part, ...found } = await rarestPart(text, sample);
  return { ...found, organisationId, part: containing(part), pattern: containing(text) };
}

// With the id as a parameter the plan does not depend on it, so the statement is planned only once.
const readSample = preparedStatement({
  name: "sample_searched_texts",
  parameters: { organisationId: "uuid", since: "uuid" },
  row: { text: "text" },
  text: ({ organisationId, since }) => `
  (select title as text from tickets where organisation_id = ${organisationId} order by id desc limit ${sampled})
  union all
  (select latest.text from apps cross join lateral (
    select left(search_text, ${sampledLengthMax}) as text from event_summaries e
    where e.app_id = apps.id and e.hash is null and e.event_id >= (select ${since})
    order by e.received_at desc, e.event_id desc limit ${sampled}) latest
  where apps.organisation_id = ${organisationId} limit ${sampled})`,
});

const findNewest = preparedStatement({
  name: "search_newest_tickets",
  parameters: { organisationId: "uuid", pattern: "text", slug: "text?", number: "integer?" },
  row: { id: "uuid", place: "integer" },
  text: ({ organisationId, pattern, slug, number }) => `with newest as materialized (
    select id, title, description from tickets where organisation_id = ${organisationId}
    order by id desc limit ${probedTickets}
  )
  select ticket_id as id, 0 as place from ticket_numbers join projects
    on projects.organisation_id = ticket_numbers.organisation_id and projects.id = ticket_numbers.project_id
  where ticket_numbers.organisation_id = ${organisationId} and number = ${number} and (${slug} is null or slug = ${slug})
  union all
  (select id, case when title ilike ${pattern} then 1 else 2 end as place from newest
  where title ilike ${pattern} or octet_length(description) <= 2000 and description ilike ${pattern}
  order by place, id desc limit ${foundMax})`,
});
// Materialized, so that matches are looked up in the index instead of scanned in result order.
const titlesOf = (organisationId: string, condition: string) => `with found as materialized (
    select ticket_id as id from ticket_search where organisation_id = ${organisationId} and ${condition}
  )
  select id from found order by id desc limit ${foundMax}`;
const findTitles = preparedStatement({
  name: "search_titles",
  parameters: asking,
  row: { id: "uuid" },
  text: ({ organisationId, ...asked }) => titlesOf(organisationId, has("title", asked)),
});
// If an organisation's titles are scanned, the first condition is the cheaper one.
const findTitlesOfSixGram = preparedStatement({
  name: "search_titles_of_six_gram",
  parameters: { organisationId: "uuid", sixGram: "text", pattern: "text" },
  row: { id: "uuid" },
  text: ({ organisationId, sixGram, pattern }) =>
    titlesOf(organisationId, `title || '' ilike ${pattern} and six_grams(title) collate "C" @> array[${sixGram}]`),
});
const findDescriptions = preparedStatement({
  name: "search_descriptions",
  parameters: asking,
  row: { id: "uuid" },
  text: ({ organisationId, ...asked }) => `with found as materialized (
    (select ticket_id as id from ticket_search where organisation_id = ${organisationId} and ${has("description", asked)})
    union all
    (select id from tickets
      where organisation_id = ${organisationId} and octet_length(description) > 2000 and ${has("description", asked)})
  )
  select id from found order by id desc limit ${foundMax}`,
});

/** The matching cards among the newest ones, completed from the indexes if those are too few. */
async function findCards(
  pool: pg.Pool,
  asking: Parameters<typeof findNewest>[1],
  indexes: Promise<Asked | undefined>,
): Promise<Awaited<ReturnType<typeof listCards>>> {
  const newest = await findNewest(pool, asking);
  const idsAt = (place: number) => newest.filter((row) => row.place === place).map(({ id }) => id);
  const [numbered, titled, described] = [idsAt(0), idsAt(1), idsAt(2)];
  const asked = await indexes;
  if (asked && titled.length < foundMax) {
    const { sixGram } = asked;
    const found = await (sixGram === null ? findTitles(pool, asked) : findTitlesOfSixGram(pool, { ...asked, sixGram }));
    titled.push(...found.map(({ id }) => id));
  }
  if (asked && new Set([...titled, ...described]).size < foundMax) {
    described.push(...(await findDescriptions(pool, asked)).map(({ id }) => id));
  }
  const latestFirst = (ids: string[]) => ids.sort().reverse();
  const ids = [...new Set([...numbered, ...latestFirst(titled), ...latestFirst(described)])].slice(0, foundMax);
  return ids.length > 0 ? listCards(pool, { organisationId: asking.organisationId, ids }) : [];
}
