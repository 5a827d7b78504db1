import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";

/** Assigns numbers to those problems of an organisation that have none yet, and returns the numbers of all of them. */
export async function numberProblems(
  db: Database,
  organisationId: string,
  problemIds: string[],
): Promise<Map<string, number>> {
  const read = async () => {
    const rows = await db
      .selectFrom("problem_numbers")
      .select(["problem_id", "number"])
      .where("organisation_id", "=", organisationId)
      .where("problem_id", "in", problemIds.length > 0 ? problemIds : [organisationId])
      .execute();
    return new Map(rows.map(({ problem_id, number }) => [problem_id, number]));
  };
  const known = await read();
  if (problemIds.every((id) => known.has(id))) return known;
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`problem numbers of ${organisationId}`}, 0))`.execute(tx);
    await sql`
      insert into problem_numbers (organisation_id, number, problem_id)
      select ${organisationId}, row_number() over (order by id) + coalesce((
        select number from problem_numbers where organisation_id = ${organisationId} order by number desc limit 1), 0), id
      from unnest(${problemIds}::uuid[]) as id
      where not exists (
        select from problem_numbers
        where problem_numbers.organisation_id = ${organisationId} and problem_id = id)`.execute(tx);
  });
  return read();
}
