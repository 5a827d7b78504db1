-- Projects with their repositories, boards and columns.

create table projects (
  organisation_id uuid not null references organisations on delete cascade,
  id uuid not null default uuidv7(),
  name text not null,
  slug text not null,
  created_at timestamptz not null default now(),
  primary key (organisation_id, id),
  unique (organisation_id, slug)
);
comment on table projects is 'What an organisation works on.';

create table repositories (
  organisation_id uuid not null,
  id uuid not null default uuidv7(),
  project_id uuid not null,
  name text not null,
  url text not null,
  created_at timestamptz not null default now(),
  primary key (organisation_id, id),
  unique (organisation_id, project_id, name),
  foreign key (organisation_id, project_id) references projects on delete cascade
);
comment on table repositories is 'A Git repository bound to a project: one that the agent may work on for its tickets.';

create table boards (
  organisation_id uuid not null,
  id uuid not null default uuidv7(),
  project_id uuid not null,
  name text not null,
  position integer not null,
  created_at timestamptz not null default now(),
  primary key (organisation_id, id),
  foreign key (organisation_id, project_id) references projects on delete cascade
);
create index on boards (organisation_id, project_id, position);
comment on table boards is 'A board of a project. The one with the lowest position is the project''s first.';

create table columns (
  organisation_id uuid not null,
  id uuid not null default uuidv7(),
  board_id uuid not null,
  name text not null,
  position integer not null,
  created_at timestamptz not null default now(),
  primary key (organisation_id, id),
  foreign key (organisation_id, board_id) references boards on delete cascade
);
create index on columns (organisation_id, board_id, position);
comment on table columns is 'A column of a board. The one with the lowest position is the leftmost.';
