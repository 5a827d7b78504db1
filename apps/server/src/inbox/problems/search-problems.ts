import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import { containing } from "../../platform/database/rarest-part.ts";
import type { Basics } from "../../platform/deps.ts";
import { hashesOfUser, type KnownHash } from "./find-user.ts";
import { meetsTerms } from "./meets-terms.ts";
import { parseSearch } from "./parse-search.ts";
import { namedInStack } from "./stack-text.ts";

type Condition = RawBuilder<unknown>;
/** A search in a column of texts, and a text that every match contains. */
type Asked = { contained: string; matches: (column: Condition) => Condition };

/** The matching texts that are looked up; if there are more, problems are checked one by one. */
const textsMax = 5_000;
const indexedLengthMin = 3;

/** The conditions that a search, with the terms of the inbox, puts on `problems as p` of some apps. */
export async function isFoundBy({ db, pool, clock }: Basics, appIds: string[], query: string): Promise<Condition[]> {
  const search = parseSearch(query);
  const conditions = meetsTerms(search, clock.now());
  for (const user of search.users) conditions.push(ofHashes(await hashesOfUser(pool, appIds, user)));
  for (const what of ["file", "function"] as const) {
    for (const name of search[`${what}s`]) {
      const matches = (column: Condition) => sql`${column} ~* ${namedInStack(what, name)}`;
      conditions.push(await says(db, appIds, { contained: name, matches }));
    }
  }
  const { text } = search;
  if (text === undefined) return conditions;
  // The text may be a user's e-mail address or id.
  const users = /\s/.test(text) ? [] : await hashesOfUser(pool, appIds, text);
  const matches = (column: Condition) => sql`${column} ilike ${containing(text)}`;
  return [...conditions, await says(db, appIds, { contained: text, matches }, users)];
}

/**
 * The condition that a problem has a matching text or one of these hashes. Looks up the matching texts in the index; if
 * there are too many, checks the texts of each problem.
 */
async function says(
  db: Database,
  appIds: string[],
  { contained, matches }: Asked,
  or: KnownHash[] = [],
): Promise<Condition> {
  const each = sql`(${ofHashes(or)} or exists (
    select from problem_hashes h join problem_texts t on t.app_id = h.app_id and t.hash = h.hash
    where h.app_id = p.app_id and h.problem_id = p.id and ${matches(sql`(t.search_text || '')`)} offset 0))`;
  if ([...contained].length < indexedLengthMin) return each;
  const { rows } = await sql<KnownHash>`
    select app_id, hash from problem_texts
    where app_id = any(${appIds}::uuid[]) and search_text ilike ${containing(contained)}
      and ${matches(sql`(search_text || '')`)} limit ${textsMax + 1}`.execute(db);
  return rows.length > textsMax ? each : ofHashes([...rows, ...or]);
}

const ofHashes = (found: KnownHash[]): Condition => sql`p.id in (
  select h.problem_id
  from unnest(${found.map(({ app_id }) => app_id)}::uuid[], ${found.map(({ hash }) => hash)}::uuid[]) as found (app_id, hash)
  join problem_hashes h on h.app_id = found.app_id and h.hash = found.hash)`;
