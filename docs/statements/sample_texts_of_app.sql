-- sample_texts_of_app: written by npm run generate.
-- $1 appId uuid
-- $2 since uuid
-- returns text text

(select left(search_text, 1000) as text from problem_texts where app_id = $1::uuid limit 100)
  union all
  (select left(search_text, 1000) from event_summaries e
    where e.app_id = $1::uuid and e.hash is null and e.event_id >= (select $2::uuid)
    order by e.received_at desc, e.event_id desc limit 100);
