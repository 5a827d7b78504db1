-- Cards that a board no longer shows: those put away, and those done for long.

alter table columns add column is_done boolean not null default false;
create unique index on columns (board_id) where is_done;
comment on column columns.is_done is 'Whether cards in it are done. At most one column of a board is.';

alter table boards add column done_card_days integer default 14 check (done_card_days between 1 and 365);
comment on column boards.done_card_days is 'After how many days a done card is archived; null for never.';

alter table tickets add column archived_at timestamptz, add column done_at timestamptz;
comment on column tickets.archived_at is 'When it was archived: no board shows it. Null where it is not.';
comment on column tickets.done_at is 'When it was done: came into its board''s done column, or was resolved. Null where it is not.';

-- A board reads its cards without passing over archived ones; the foreign key of columns finds both.
create index tickets_shown on tickets (column_id, (archived_at is null), position);
drop index tickets_column_id_position_idx;
create index tickets_done on tickets (done_at) where done_at is not null and archived_at is null;
