-- The ticket API lists tickets by when they changed, were filed or are due, and by priority. Lists are read column by
-- column, so each index begins with the column. It then has the state (0 open, 1 done, 2 archived), since most tickets of
-- an old board are done.
alter table tickets add column updated_at timestamptz;
update tickets set updated_at = greatest(created_at, occurred_at, done_at, archived_at);
alter table tickets alter column updated_at set not null, alter column updated_at set default clock_timestamp();
comment on column tickets.updated_at is 'When it was filed, or what its history or its comments tell of it last changed.';

create function note_ticket_update() returns trigger language plpgsql as $$
begin
  new.updated_at = greatest(clock_timestamp(), old.updated_at);
  return new;
end $$;
create trigger note_ticket_update before update of title, description, priority, assignee_user_id, agent_repository_id,
  starts_at, due_at, labels, column_id, problem, occurrence_noted_at, archived_at, done_at on tickets
  for each row when ((old.title, old.description, old.priority, old.assignee_user_id, old.agent_repository_id, old.starts_at,
    old.due_at, old.labels, old.column_id, old.problem, old.occurrence_noted_at, old.archived_at, old.done_at)
    is distinct from (new.title, new.description, new.priority, new.assignee_user_id, new.agent_repository_id, new.starts_at,
    new.due_at, new.labels, new.column_id, new.problem, new.occurrence_noted_at, new.archived_at, new.done_at))
  execute function note_ticket_update();
