import type { FoundCards, SearchQuery } from "@lodge/contract/dashboard/search";
import { sql } from "kysely";
import type { Actor } from "../access/find-actor.ts";
import { containing, searches } from "../boards/list-cards.ts";
import type { Deps } from "../platform/deps.ts";

const foundMax = 20;

type Row = {
  id: string;
  title: string;
  project_id: string;
  project_name: string;
  board_id: string;
  board_name: string;
  column_id: string;
  column_name: string;
  archived: boolean;
};

/**
 * The cards of the organisation whose title or description contains a text, those with it in the title first, the newest
 * first. Throws `rate_limit_exceeded` where the organisation searches too much at once.
 */
export async function searchCards({ db }: Deps, { organisationId }: Actor, query: SearchQuery): Promise<FoundCards> {
  const pattern = containing(query.text.trim());
  // Titles and short descriptions are read, the newest first and no further than needed; long ones have an index.
  const newest = sql`order by id desc limit ${sql.lit(foundMax)}`;
  const { rows } = await searches(organisationId, () =>
    sql<Row>`
      with found as (
        (select id, true as in_title from tickets
          where organisation_id = ${organisationId} and title ilike ${pattern} ${newest})
        union all
        (select id, false from tickets
          where organisation_id = ${organisationId} and octet_length(description) <= 2000
            and description ilike ${pattern} and title not ilike ${pattern} ${newest})
        union all
        (select id, false from tickets
          where organisation_id = ${organisationId} and octet_length(description) > 2000
            and description ilike ${pattern} and title not ilike ${pattern} ${newest})
      )
      select t.id, t.title, t.archived_at is not null as archived, t.column_id, c.name as column_name, b.id as board_id, b.name as board_name,
        p.id as project_id, p.name as project_name
      from found
      join tickets t on t.organisation_id = ${organisationId} and t.id = found.id
      join columns c on c.organisation_id = ${organisationId} and c.id = t.column_id
      join boards b on b.organisation_id = ${organisationId} and b.id = c.board_id
      join projects p on p.organisation_id = ${organisationId} and p.id = b.project_id
      order by found.in_title desc, t.id desc limit ${sql.lit(foundMax)}`.execute(db),
  );
  return {
    cards: rows.map((row) => ({
      id: row.id,
      title: row.title,
      project: { id: row.project_id, name: row.project_name },
      board: { id: row.board_id, name: row.board_name },
      archived: row.archived,
      column: { id: row.column_id, name: row.column_name },
    })),
  };
}
