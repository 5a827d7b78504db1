-- Deleted tickets stay in the trash of their project for 30 days. A ticket in the trash has no column, so every statement
-- that joins its column takes it for deleted, and no index or statement of the filing path knows of the trash.
alter table tickets
  alter column column_id drop not null,
  add column deleted_at timestamptz,
  add column deleted_by text,
  add column deleted_project_id uuid,
  add column deleted_board_id uuid,
  add column deleted_column_id uuid,
  add column deleted_problem text,
  add foreign key (organisation_id, deleted_project_id) references projects on delete cascade,
  add check (column_id is not null
    or deleted_at is not null and deleted_by is not null and deleted_project_id is not null);
create index tickets_trash on tickets (deleted_project_id, deleted_at, id) where deleted_project_id is not null;
comment on column tickets.column_id is 'The column it lies in; null while it is in the trash, where everything but the trash takes it for deleted.';
comment on column tickets.deleted_at is 'When it was moved to the trash; null where it is not there.';
comment on column tickets.deleted_by is 'The name of the person who deleted it.';
comment on column tickets.deleted_project_id is 'The project whose trash it is in.';
comment on column tickets.deleted_board_id is 'Where it goes when it is restored, if its column is gone.';
comment on column tickets.deleted_column_id is 'The column it goes back to when it is restored.';
comment on column tickets.deleted_problem is 'Its problem while it is in the trash: another ticket may be the open one of it meanwhile.';

-- Webhooks are told nothing of tickets in the trash, as of deleted ones: neither that they go and come back, nor what was
-- still to be told of them. After note_ticket_change, by the order of the names.
create function trash_ticket_messages() returns trigger language plpgsql as $$
begin
  delete from ticket_changes where organisation_id = new.organisation_id and ticket_id = new.id
    and (new.column_id is null or transaction_id = pg_current_xact_id());
  if new.column_id is null then
    delete from hook_deliveries where organisation_id = new.organisation_id and ticket_id = new.id
      and state in ('waiting', 'failed');
  end if;
  return null;
end $$;
create trigger trash_ticket_messages after update of column_id on tickets for each row
  when ((old.column_id is null) <> (new.column_id is null))
  execute function trash_ticket_messages();
