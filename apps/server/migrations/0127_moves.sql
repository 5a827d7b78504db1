-- What a trigger of every table does while an organisation moves to another cell: `lodged cell move` makes the triggers,
-- and drops them again. Whoever writes holds the lock, shared, until the end of the transaction; who moves takes it alone
-- to have all that was written before.
create function cell_note(leaving uuid[], written text, row_key jsonb) returns void language plpgsql as $$
declare
  id uuid;
  is_state text;
begin
  perform pg_advisory_xact_lock_shared(5063431026);
  foreach id in array leaving loop
    select state into is_state from cell_departures where organisation_id = id;
    if is_state = 'copied' then
      if row_key is not null then
        insert into cell_changes (organisation_id, table_name, key) values (id, written, row_key);
      end if;
    -- Its workers may still come upon rows of one that has left, which are about to be deleted.
    elsif is_state = 'held'
      or is_state = 'left' and current_setting('application_name') !~ '^lodged (worker|upkeep)' then
      raise exception 'the organisation % moves to another cell', id using errcode = 'LG001';
    end if;
  end loop;
end $$;
