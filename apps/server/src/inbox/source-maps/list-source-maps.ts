import { listedMapsMax, type SourceMapList } from "@lodge/contract/sourcemaps";
import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";

type Row = {
  file: string;
  debug_id: string | null;
  release: string | null;
  byte_length: number;
  created_at: Date;
  used_at: Date;
  unusable_reason: string | null;
  total_count: number;
  unusable_count: number;
};

/** The source maps of an app of the organisation, named by its id or slug. Throws `app_not_found`. */
export async function listSourceMaps(
  { db }: Pick<Deps, "db">,
  organisationId: string,
  named: { id: string } | { slug: string },
): Promise<SourceMapList> {
  const app = await db
    .selectFrom("apps")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where((where) => ("id" in named ? where("id", "=", named.id) : where("slug", "=", named.slug)))
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (!app) throw new Refusal("app_not_found");
  const { rows } = await sql<Row>`
    select file, debug_id, release, byte_length, created_at, used_at, unusable_reason, count(*) over () as total_count,
      count(unusable_reason) over () as unusable_count
    from source_maps where organisation_id = ${organisationId} and app_id = ${app.id} and not replaced
    order by unusable_reason is null, id desc limit ${sql.lit(listedMapsMax)}`.execute(db);
  return {
    sourceMaps: rows.map((row) => ({
      file: row.file,
      debugId: row.debug_id,
      release: row.release,
      byteLength: row.byte_length,
      createdAt: row.created_at.toISOString(),
      usedAt: row.used_at.toISOString(),
      unusableReason: row.unusable_reason,
    })),
    totalCount: Number(rows[0]?.total_count ?? 0),
    unusableCount: Number(rows[0]?.unusable_count ?? 0),
  };
}
