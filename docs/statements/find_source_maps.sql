-- find_source_maps: written by npm run generate.
-- $1 appId uuid
-- $2 release text or null
-- $3 asked json
-- returns file text, id uuid, organisation_id uuid, store_key text, used_at timestamptz, source_lines boolean

select asked.file, found.id, found.organisation_id, found.store_key, found.used_at, apps.source_lines
  from json_to_recordset($3::json) as asked(file text, debug_id uuid, paths text[])
  cross join lateral (
    (select id, organisation_id, store_key, used_at, unusable_reason, 0 as rank from source_maps m
      where m.app_id = $1::uuid and m.debug_id = asked.debug_id and not m.replaced and m.format = 'source_map')
    union all
    (select id, organisation_id, store_key, used_at, unusable_reason, 1 from source_maps m
      where m.app_id = $1::uuid and m.file = any(asked.paths) and not m.replaced and m.format = 'source_map'
        and (m.release is null or m.release = $2::text)
        and (asked.debug_id is null or m.debug_id is null)
      order by m.release is null, length(m.file) desc, m.id desc limit 1)
    order by rank limit 1
  ) found
  join apps on apps.id = $1::uuid
  where found.unusable_reason is null;
