-- list_found_cards: written by npm run generate.
-- $1 organisationId uuid
-- $2 ids uuid[]
-- returns id uuid, number text or null, title text, archived boolean, column_id uuid, column_name text, board_id uuid,
--   board_name text, project_id uuid, project_name text

select t.id, upper(numbers.slug) || '-' || number as number, t.title,
    t.archived_at is not null as archived, t.column_id, c.name as column_name, b.id as board_id, b.name as board_name,
    p.id as project_id, p.name as project_name
  from tickets t
  join columns c on c.organisation_id = t.organisation_id and c.id = t.column_id
  join boards b on b.organisation_id = t.organisation_id and b.id = c.board_id
  join projects p on p.organisation_id = t.organisation_id and p.id = b.project_id
  left join ticket_numbers numbered on numbered.organisation_id = t.organisation_id and numbered.ticket_id = t.id
  left join projects numbers on numbers.organisation_id = numbered.organisation_id and numbers.id = numbered.project_id
  where t.organisation_id = $1::uuid and t.id = any($2::uuid[])
  order by array_position($2::uuid[], t.id);
