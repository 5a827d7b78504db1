-- find_mapping_files: written by npm run generate.
-- $1 appId uuid
-- $2 uuids uuid[]
-- $3 releases text[]
-- returns id uuid, organisation_id uuid, store_key text, used_at timestamptz, is_named boolean

select id, organisation_id, store_key, used_at,
    debug_id is not null and debug_id = any($2::uuid[]) as is_named
  from source_maps where app_id = $1::uuid and format = 'proguard' and not replaced and unusable_reason is null
    and (debug_id = any($2::uuid[]) or release = any($3::text[]))
  order by is_named desc, array_position($3::text[], release), id desc limit 3;
