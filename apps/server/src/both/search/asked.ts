import type { Part } from "../../platform/database/rarest-part.ts";

/** The patterns of a search: `part` for the indexes, and `pattern` for the whole text. */
export type Asked = Part & { organisationId: string; pattern: string };

/** The parameters of a statement that uses an index. */
export const asking = { organisationId: "uuid", part: "text", pattern: "text" } as const;

/** The condition that a column contains the text. The concatenation keeps an index from being used beyond the part. */
export const has = (
  column: "title" | "description" | "search_text",
  { part, pattern }: Record<"part" | "pattern", string>,
) => `${column} ilike ${part} and ${column} || '' ilike ${pattern}`;
