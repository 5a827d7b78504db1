-- Filters of boards that people keep under a name.

create table board_views (
  organisation_id uuid not null,
  id uuid not null default uuidv7(),
  board_id uuid not null,
  user_id uuid not null,
  name text not null check (char_length(name) between 1 and 80),
  filter jsonb not null,
  primary key (organisation_id, id),
  unique (organisation_id, user_id, board_id, name),
  foreign key (organisation_id, user_id) references members on delete cascade,
  foreign key (organisation_id, board_id) references boards on delete cascade
);
create index on board_views (board_id);
comment on table board_views is 'A filter of a board that a member has saved, for himself alone.';
comment on column board_views.filter is 'Like BoardSearch of the contract: in words that mean the same on whatever day.';
