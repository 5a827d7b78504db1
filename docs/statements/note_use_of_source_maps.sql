-- note_use_of_source_maps: written by npm run generate.
-- $1 appId uuid
-- $2 ids uuid[]
-- $3 now timestamptz
-- returns nothing

update source_maps set used_at = $3::timestamptz where app_id = $1::uuid and id = any($2::uuid[]);
