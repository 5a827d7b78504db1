-- search_newest_tickets: written by npm run generate.
-- $1 organisationId uuid
-- $2 pattern text
-- $3 slug text or null
-- $4 number integer or null
-- returns id uuid, place integer

with newest as materialized (
    select id, title, description from tickets where organisation_id = $1::uuid
    order by id desc limit 2000
  )
  select ticket_id as id, 0 as place from ticket_numbers join projects
    on projects.organisation_id = ticket_numbers.organisation_id and projects.id = ticket_numbers.project_id
  where ticket_numbers.organisation_id = $1::uuid and number = $4::integer and ($3::text is null or slug = $3::text)
  union all
  (select id, case when title ilike $2::text then 1 else 2 end as place from newest
  where title ilike $2::text or octet_length(description) <= 2000 and description ilike $2::text
  order by place, id desc limit 20);
