-- sample_searched_texts: written by npm run generate.
-- $1 organisationId uuid
-- $2 since uuid
-- returns text text

(select title as text from tickets where organisation_id = $1::uuid order by id desc limit 100)
  union all
  (select latest.text from apps cross join lateral (
    select left(search_text, 1000) as text from event_summaries e
    where e.app_id = apps.id and e.hash is null and e.event_id >= (select $2::uuid)
    order by e.received_at desc, e.event_id desc limit 100) latest
  where apps.organisation_id = $1::uuid limit 100);
