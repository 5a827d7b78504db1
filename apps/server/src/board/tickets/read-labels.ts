import { hash } from "node:crypto";
import { sql } from "kysely";
import type { Token } from "../../people/tokens/authenticate-token.ts";
import type { Deps } from "../../platform/deps.ts";
import { reachedColumns } from "./reached-columns.ts";

const labelsListed = 1_000;

/** The labels of the tickets that a token reaches, by name, with how many tickets have each. Throws `project_not_found`. */
export async function readLabels({ db }: Deps, token: Token, query: { projectId?: string }) {
  const { columnIds } = await reachedColumns(db, token, query);
  const { rows } = await sql<{ name: string; tickets: number }>`
    select label as name, count(*)::integer as tickets from tickets, unnest(labels) as label
    where organisation_id = ${token.organisationId} and column_id = any(${columnIds}::uuid[]) and labels <> '{}'
    group by label order by label limit ${labelsListed}`.execute(db);
  return { labels: rows.map(({ name, tickets }) => ({ name, color: colorOf(name), tickets })) };
}

/** A color of a label, of the same lightness for all and the same everywhere. */
function colorOf(name: string): string {
  const hue = hash("sha256", name, "buffer").readUInt16BE(0) % 360;
  const channel = (offset: number) => {
    const k = (offset + hue / 30) % 12;
    const value = 0.45 - 0.27 * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return Math.round(255 * value)
      .toString(16)
      .padStart(2, "0");
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}
