-- What a card's move asks before it writes, in one round trip.

-- The keys that moved cards come to lie between: below the card `above`, or, where that is null, on top of the column. The
-- moved cards themselves are left out. `fresh` is a key of the present.
create function gap_below(organisation uuid, into_column uuid, moved uuid[], above uuid,
  out upper text, out lower text, out fresh text) language sql volatile as $$
  with above_card as materialized (
    select position, id from tickets
    where organisation_id = organisation and column_id = into_column and id = above and id <> all(moved))
  select (select position from above_card), (
      select position from tickets
      where organisation_id = organisation and column_id = into_column and id <> all(moved)
        and (above is null or (position, id) < (select position, id from above_card))
      order by position desc, id desc limit 1),
    replace(uuidv7()::text, '-', '')
$$;

-- Locks a column and then a ticket, in the order in which others lock them, and reads the ticket's place and the gap that
-- it is moved into. Each statement of a volatile function has a snapshot of its own, so the last one sees what those
-- committed that it had to wait for. No row where there is no such ticket; no target where there is no such column in the
-- ticket's project.
create function lock_for_move(organisation uuid, ticket uuid, into_column uuid, above uuid) returns table (
  from_column_id uuid, from_column_name text, from_board_id uuid, from_board_name text, column_name text,
  column_is_done boolean, board_id uuid, board_name text, upper text, lower text, fresh text) language sql volatile as $$
  select from columns where columns.organisation_id = organisation and id = into_column for no key update;
  select from tickets where tickets.organisation_id = organisation and id = ticket for no key update;
  select columns.id, columns.name, boards.id, boards.name, target.name, target.is_done, target.board_id,
    target.board_name, gap.upper, gap.lower, gap.fresh
  from tickets
  join columns on columns.organisation_id = tickets.organisation_id and columns.id = tickets.column_id
  join boards on boards.organisation_id = columns.organisation_id and boards.id = columns.board_id
  left join (
    select columns.name, columns.is_done, boards.id as board_id, boards.name as board_name, boards.project_id
    from columns join boards on boards.organisation_id = columns.organisation_id and boards.id = columns.board_id
    where columns.organisation_id = organisation and columns.id = into_column
  ) target on target.project_id = boards.project_id
  cross join gap_below(organisation, into_column, array[ticket], above) gap
  where tickets.organisation_id = organisation and tickets.id = ticket
$$;
