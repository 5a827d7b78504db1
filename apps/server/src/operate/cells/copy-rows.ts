import { type RawBuilder, sql, type Transaction } from "kysely";
import { keepPartitions } from "../../inbox/reports/partitions.ts";
import { movePerson } from "../../people/organisations/move-person.ts";
import type { DB } from "../../platform/database/database.generated.ts";
import type { Database } from "../../platform/database/database.ts";
import { insertRows } from "../../platform/database/insert-rows.ts";
import { deleteRows, putRows } from "../../platform/database/put-rows.ts";
import { belongsToAny, type MovingTable, type PersonTable } from "./moving-tables.ts";

/** A row may be an envelope of 5 MB in hexadecimal: the size of each batch is based on the previous ones. */
const rowsAtFirst = 16;
const rowsMax = 1_000;
const bytesAtOnce = 2_000_000;

/** Reads everything from one snapshot. */
export const inSnapshot = <T>(db: Database, read: (tx: Transaction<DB>) => Promise<T>): Promise<T> =>
  db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (tx) => {
      await keepPartitions(tx);
      return read(tx);
    });

/** Copies the rows `r` of a table for which a condition holds. Returns how many. */
async function copyTable(
  from: Transaction<DB>,
  to: Transaction<DB>,
  table: { name: string; columns: readonly string[] },
  condition: RawBuilder<boolean>,
): Promise<number> {
  await sql`
    declare moved no scroll cursor for
    select to_json(r)::text as row from ${sql.table(table.name)} r where ${condition}`.execute(from);
  let copied = 0;
  for (let atOnce = rowsAtFirst; ; ) {
    const { rows } = await sql<{ row: string }>`fetch ${sql.lit(atOnce)} from moved`.execute(from);
    if (rows.length === 0) break;
    const texts = rows.map(({ row }) => row);
    await insertRows(to, table, texts, sql`true`);
    copied += rows.length;
    const bytes = texts.reduce((sum, text) => sum + text.length, 0) / rows.length;
    atOnce = Math.max(rowsAtFirst, Math.min(rowsMax, Math.floor(bytesAtOnce / bytes)));
  }
  await sql`close moved`.execute(from);
  return copied;
}

/** Copies everything that belongs to organisations, from one snapshot. Returns the number of rows. */
export async function copyOrganisations(
  from: Transaction<DB>,
  to: Transaction<DB>,
  tables: MovingTable[],
  organisationIds: string[],
): Promise<number> {
  let copied = 0;
  for (const table of tables) copied += await copyTable(from, to, table, belongsToAny(table, organisationIds));
  return copied;
}

/** Copies people's own data: passwords, sessions, second factors. */
export async function copyPersonal(
  from: Transaction<DB>,
  to: Transaction<DB>,
  personal: PersonTable[],
  userIds: string[],
): Promise<void> {
  for (const table of personal) {
    await copyTable(from, to, table, sql`${sql.ref(`r.${table.person}`)} = any(${userIds}::uuid[])`);
  }
}

/** Applies to the copy the changes that were recorded since it was made. Returns the number of changes. */
export async function followChanges(
  source: Database,
  to: Transaction<DB>,
  tables: MovingTable[],
  organisationIds: string[],
): Promise<number> {
  const followed = await inSnapshot(source, async (from) => {
    const notes = await from
      .selectFrom("cell_changes")
      .select(["n", "table_name"])
      .select(sql<string>`key::text`.as("key"))
      .where("organisation_id", "in", organisationIds)
      .execute();
    const changed = tables.map((table) => {
      const keys = new Set(notes.filter(({ table_name }) => table_name === table.name).map(({ key }) => key));
      return { table, keys: [...keys] };
    });
    for (const { table, keys } of changed.toReversed()) {
      for (const some of chunks(keys)) {
        const gone = await sql<{ key: string }>`
          select noted.key from unnest(${some}::text[]) noted (key)
          where not exists (${rowsOf(table, sql`array[noted.key]`)})`.execute(from);
        const these = gone.rows.map(({ key }) => key);
        if (these.length > 0) await deleteRows(to, table, these);
      }
    }
    for (const { table, keys } of changed) {
      for (const some of chunks(keys)) {
        const found = await sql<{ row: string }>`${rowsOf(table, sql`${some}::text[]`)}`.execute(from);
        const rows = found.rows.map(({ row }) => row);
        if (rows.length === 0) continue;
        const named =
          table.people.length > 0 ? rows.map((row) => JSON.parse(row) as Record<string, string | null>) : [];
        const people = new Set(named.flatMap((row) => table.people.flatMap((column) => row[column] ?? [])));
        if (people.size > 0) await copyPeople(from, to, sql`users.id = any(${[...people]}::uuid[])`, organisationIds);
        await putRows(to, table, rows);
      }
    }
    return notes.map(({ n }) => n);
  });
  await sql`delete from cell_changes where n = any(${followed}::bigint[])`.execute(source);
  return followed.length;
}

/** A query for the rows with these keys. */
const rowsOf = ({ name, key }: MovingTable, keys: RawBuilder<unknown>) => sql`
  select to_json(r)::text as row
  from unnest(${keys}) wanted (key)
  cross join lateral json_populate_record(null::${sql.table(name)}, wanted.key::json) k
  join ${sql.table(name)} r on ${sql.join(
    key.map((column) => sql`${sql.ref(`r.${column}`)} = ${sql.ref(`k.${column}`)}`),
    sql` and `,
  )}`;

function* chunks<T>(all: readonly T[]): Generator<T[]> {
  for (let at = 0; at < all.length; at += rowsAtFirst) yield all.slice(at, at + rowsAtFirst);
}

/** Creates in the target everybody whom a row of the organisations names. */
export async function copyNamed(
  from: Transaction<DB>,
  to: Transaction<DB>,
  tables: MovingTable[],
  organisationIds: string[],
): Promise<void> {
  const named = tables.flatMap((table) =>
    table.people.map(
      (column) =>
        sql`select ${sql.ref(`r.${column}`)} from ${sql.table(table.name)} r where ${belongsToAny(table, organisationIds)}`,
    ),
  );
  await copyPeople(from, to, sql`users.id in (${sql.join(named, sql` union `)})`, organisationIds);
}

/** Creates people in the target, with their current names and addresses. */
export async function copyPeople(
  from: Transaction<DB>,
  to: Transaction<DB>,
  condition: RawBuilder<boolean>,
  organisationIds: string[],
): Promise<void> {
  const people = await from
    .selectFrom("users")
    .select(["id", "email", "name", "email_verified_at", "handed_over_at"])
    .select(["provider_organisation_id", "created_at"])
    .select(
      sql<boolean>`exists (select from members
        where user_id = users.id and organisation_id = any(${organisationIds}::uuid[]))`.as("isMember"),
    )
    .where(condition)
    .execute();
  for (const person of people) await movePerson(to, person);
}
