/**
 * The statement that writes the artifacts of events. `event` names a CTE with the app_id, id and time (`at`) of events that
 * have just been written, and their `artifacts`, a JSON array of rows.
 */
export const insertArtifactsSql = (event: string) => `
      insert into artifacts (app_id, event_id, position, part_name, filename, content_type, byte_length, sha256, store_key, created_at)
      select app_id, id, artifact.*, at
      from ${event}, json_to_recordset(artifacts) as artifact(position smallint, part_name text, filename text,
        content_type text, byte_length integer, sha256 bytea, store_key text)`;
