-- Projects and their repositories.

create table projects (
  organisation_id uuid not null references organisations on delete cascade,
  id uuid not null default uuidv7(),
  name text not null,
  slug text not null,
  position integer not null default 0,
  created_at timestamptz not null default now(),
  primary key (organisation_id, id),
  unique (organisation_id, slug)
);
comment on table projects is 'What an organisation works on.';
comment on column projects.position is 'The place among the projects of the organisation, then by id.';

create table repositories (
  organisation_id uuid not null,
  id uuid not null default uuidv7(),
  project_id uuid not null,
  name text not null,
  url text not null,
  credentials_env text,
  created_at timestamptz not null default now(),
  primary key (organisation_id, id),
  unique (organisation_id, project_id, name),
  foreign key (organisation_id, project_id) references projects on delete cascade
);
comment on table repositories is 'A Git repository bound to a project: one that the agent may work on for its tickets.';
comment on column repositories.credentials_env is 'The name of the runner''s environment variable that holds the token to push with.';
