import { type RawBuilder, sql } from "kysely";
import { containing } from "../../platform/database/rarest-part.ts";

/**
 * The patterns of a statement, as SQL: the pattern of the part that an index is asked for, and that of the whole text.
 */
type Patterns = Record<"part" | "pattern", string>;

// Short and long texts of single reports have indexes apart (migrations/0018_problems.sql). The concatenation keeps an
// index from being used for more than the part. `write` makes SQL of a template: text or a part of a query.
const inEither = <Sql>(
  write: (strings: TemplateStringsArray, ...values: Sql[]) => Sql,
  { ofShort, ofLong, pattern }: Record<"ofShort" | "ofLong" | "pattern", Sql>,
): Sql => write`(octet_length(search_text) <= 500 and ${ofShort} or octet_length(search_text) > 500 and ${ofLong})
    and search_text || '' ilike ${pattern}`;

/** The SQL that a single report has a text. */
export const singleHas = ({ part, pattern }: Patterns): string => {
  const hasPart = `search_text ilike ${part}`;
  return inEither(String.raw, { ofShort: hasPart, ofLong: hasPart, pattern });
};

/**
 * The same of what is rare. The planner need not know what it is, and so plans once: with many partitions that takes longer
 * than to look.
 */
export const singleHasRare = ({ part, pattern }: Patterns): string =>
  singleHas({ part: `(select ${part})`, pattern: `(select ${pattern})` });

/** The same by a six-gram of it, of which the long texts have no index. */
export const singleHasSixGram = ({ sixGram, part, pattern }: Patterns & Record<"sixGram", string>): string =>
  inEither(String.raw, {
    ofShort: `six_grams(search_text) collate "C" @> (select array[${sixGram}])`,
    ofLong: `search_text ilike (select ${part})`,
    pattern: `(select ${pattern})`,
  });

/** That one has a text of which `part` is what indexes are asked for, in a statement that is planned each time. */
export const singleHasText = (text: string, part: string): RawBuilder<unknown> => {
  const hasPart = sql`search_text ilike ${containing(part)}`;
  return inEither<RawBuilder<unknown>>(sql, { ofShort: hasPart, ofLong: hasPart, pattern: sql`${containing(text)}` });
};
