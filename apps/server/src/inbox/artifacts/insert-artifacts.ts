/**
 * The statement that inserts the artifacts of events. `event` names a CTE of just-inserted events: app_id, id, time
 * (`at`) and `artifacts`, a JSON array of rows.
 */
export const insertArtifactsSql = (event: string) => `
      insert into artifacts (app_id, event_id, position, part_name, filename, content_type, byte_length, sha256, store_key, created_at)
      select app_id, id, artifact.*, at
      from ${event}, json_to_recordset(artifacts) as artifact(position smallint, part_name text, filename text,
        content_type text, byte_length integer, sha256 bytea, store_key text)`;
