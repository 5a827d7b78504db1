import { type RawBuilder, sql } from "kysely";
import { containing } from "../../platform/database/rarest-part.ts";

/** The SQL patterns of a search: `part`, which an index is searched for, and `pattern`, the whole text. */
type Patterns = Record<"part" | "pattern", string>;

// Short and long texts of reports without a problem have separate indexes (migrations/0018_problems.sql). The
// concatenation keeps PostgreSQL from searching an index for more than the part. `write` is the template tag: for text
// or for SQL.
const inEither = <Sql>(
  write: (strings: TemplateStringsArray, ...values: Sql[]) => Sql,
  { ofShort, ofLong, pattern }: Record<"ofShort" | "ofLong" | "pattern", Sql>,
): Sql => write`(octet_length(search_text) <= 500 and ${ofShort} or octet_length(search_text) > 500 and ${ofLong})
    and search_text || '' ilike ${pattern}`;

/** The SQL condition that a report without a problem contains a text. */
export const singleHas = ({ part, pattern }: Patterns): string => {
  const hasPart = `search_text ilike ${part}`;
  return inEither(String.raw, { ofShort: hasPart, ofLong: hasPart, pattern });
};

/**
 * As `singleHas`, for rare texts: the subqueries hide the text from the planner, so that the statement is planned once.
 * With many partitions, planning takes longer than searching.
 */
export const singleHasRare = ({ part, pattern }: Patterns): string =>
  singleHas({ part: `(select ${part})`, pattern: `(select ${pattern})` });

/** As `singleHasRare`, by a six-gram; long texts have no index of those. */
export const singleHasSixGram = ({ sixGram, part, pattern }: Patterns & Record<"sixGram", string>): string =>
  inEither(String.raw, {
    ofShort: `six_grams(search_text) collate "C" @> (select array[${sixGram}])`,
    ofLong: `search_text ilike (select ${part})`,
    pattern: `(select ${pattern})`,
  });

/** As `singleHas`, for a statement that is planned each time. */
export const singleHasText = (text: string, part: string): RawBuilder<unknown> => {
  const hasPart = sql`search_text ilike ${containing(part)}`;
  return inEither<RawBuilder<unknown>>(sql, { ofShort: hasPart, ofLong: hasPart, pattern: sql`${containing(text)}` });
};
