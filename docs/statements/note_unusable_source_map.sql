-- note_unusable_source_map: written by npm run generate.
-- $1 appId uuid
-- $2 id uuid
-- $3 reason text
-- returns nothing

update source_maps set unusable_reason = $3::text where app_id = $1::uuid and id = $2::uuid;
