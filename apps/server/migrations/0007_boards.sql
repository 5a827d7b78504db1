-- Boards with their columns, and the filters that people save.

create table boards (
  organisation_id uuid not null,
  id uuid not null default uuidv7(),
  project_id uuid not null,
  name text not null,
  position integer not null,
  done_card_days integer default 14 check (done_card_days between 1 and 365),
  created_at timestamptz not null default now(),
  primary key (organisation_id, id),
  foreign key (organisation_id, project_id) references projects on delete cascade
);
create index on boards (organisation_id, project_id, position);
comment on table boards is 'A board of a project. The one with the lowest position is the project''s first.';
comment on column boards.done_card_days is 'After how many days a done card is archived; null for never.';

create table columns (
  organisation_id uuid not null,
  id uuid not null default uuidv7(),
  board_id uuid not null,
  name text not null,
  position integer not null,
  is_done boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (organisation_id, id),
  foreign key (organisation_id, board_id) references boards on delete cascade
);
create index on columns (organisation_id, board_id, position);
create unique index on columns (board_id) where is_done;
comment on table columns is 'A column of a board. The one with the lowest position is the leftmost.';
comment on column columns.is_done is 'Whether cards in it are done. At most one column of a board is.';

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
comment on table board_views is 'A filter of a board that a member has saved; only this member sees it.';
comment on column board_views.filter is 'Like BoardSearch of the contract: in terms that mean the same on any day.';
