import { type RawBuilder, sql } from "kysely";
import { containing } from "../../platform/database/rarest-part.ts";

/** The condition on `tickets as t` for those with a text in their title or description, or as their number. */
export function says(q: string): RawBuilder<unknown> {
  const pattern = containing(q.trim());
  const { slug, number } = readNumber(q);
  return sql`(t.title ilike ${pattern} or t.description ilike ${pattern} or ${number}::integer is not null and t.id in (
    select ticket_id from ticket_numbers join projects
      on projects.organisation_id = ticket_numbers.organisation_id and projects.id = ticket_numbers.project_id
    where ticket_numbers.organisation_id = t.organisation_id and number = ${number}::integer
      and (${slug}::text is null or slug = ${slug})))`;
}

/** The project's slug and the number of a text such as WEB-214 or 214; nulls for any other text. */
export function readNumber(text: string): { slug: string | null; number: number | null } {
  const [, slug = null, number = null] = /^(?:([a-z0-9-]+)-)?(\d{1,9})$/.exec(text.trim().toLowerCase()) ?? [];
  return { slug, number: number === null ? null : Number(number) };
}
