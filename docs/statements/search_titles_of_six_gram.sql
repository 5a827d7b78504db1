-- search_titles_of_six_gram: written by npm run generate.
-- $1 organisationId uuid
-- $2 sixGram text
-- $3 pattern text
-- returns id uuid

with found as materialized (
    select ticket_id as id from ticket_search where organisation_id = $1::uuid and title || '' ilike $3::text and six_grams(title) collate "C" @> array[$2::text]
  )
  select id from found order by id desc limit 20;
