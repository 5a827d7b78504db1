import type { NumberedCards, NumbersQuery, RelatedCard } from "@lodge/contract/dashboard/relations";
import { lookedUpNumbersMax } from "@lodge/contract/limits";
import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput } from "../../platform/errors.ts";
import { relatedColumns } from "./list-relations.ts";

/** The tickets of the organisation that have some numbers, in one query. Throws `invalid_input` for more than 50. */
export async function listNumberedCards(
  { db }: Deps,
  organisationId: string,
  { numbers }: NumbersQuery,
): Promise<NumberedCards> {
  const asked = [...new Set(numbers.toLowerCase().split(","))].map((number) => {
    const end = number.lastIndexOf("-");
    return { slug: number.slice(0, end), number: Number(number.slice(end + 1)) };
  });
  if (asked.length > lookedUpNumbersMax) {
    throw invalidInput([{ path: "/numbers", message: `must have at most ${lookedUpNumbersMax} numbers` }]);
  }
  const { rows: cards } = await sql<RelatedCard>`
    select ${relatedColumns}
    from unnest(${asked.map(({ slug }) => slug)}::text[], ${asked.map(({ number }) => number)}::integer[])
      asked (slug, number)
    join projects number_project on number_project.organisation_id = ${organisationId}
      and number_project.slug = asked.slug
    join ticket_numbers numbered on numbered.organisation_id = ${organisationId}
      and numbered.project_id = number_project.id and numbered.number = asked.number
    join tickets t on t.organisation_id = ${organisationId} and t.id = numbered.ticket_id
      and t.column_id is not null`.execute(db);
  return { cards };
}
