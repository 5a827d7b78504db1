-- Imports of cards from CSV files, so that each happens once and can be undone.
create table ticket_imports (
  organisation_id uuid not null,
  id uuid not null default uuidv7(),
  board_id uuid not null,
  user_id uuid references users on delete set null,
  user_name text not null,
  key text not null,
  filename text not null,
  ticket_ids uuid[] not null,
  unassigned jsonb not null,
  created_at timestamptz not null,
  undone_at timestamptz,
  undone jsonb check ((undone is null) = (undone_at is null)),
  primary key (organisation_id, id),
  unique (organisation_id, user_id, key),
  foreign key (organisation_id, board_id) references boards on delete cascade
);
create index on ticket_imports (board_id, created_at);
create index on ticket_imports (user_id) where user_id is not null;
comment on table ticket_imports is 'An import of a CSV file. It is kept for 30 days.';
comment on column ticket_imports.user_name is 'The name of the person when they imported the file.';
comment on column ticket_imports.key is 'The Idempotency-Key of the import.';
comment on column ticket_imports.ticket_ids is 'The tickets that it created, in the order of the file; some may be deleted.';
comment on column ticket_imports.unassigned is 'The assignees who are no members: {count, names}.';
comment on column ticket_imports.undone is 'What became of the tickets when it was undone: {deletedCount, keptCount, kept}.';
