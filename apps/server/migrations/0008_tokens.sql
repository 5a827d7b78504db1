-- API tokens.

create table tokens (
  organisation_id uuid not null references organisations on delete cascade,
  id uuid not null default uuidv7(),
  name text not null check (char_length(name) between 1 and 80),
  secret_sha256 bytea not null unique,
  prefix text not null,
  scope text not null check (scope in ('all', 'projects')),
  permissions text[] not null,
  runs_per_day integer check (runs_per_day >= 0),
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz,
  primary key (organisation_id, id)
);
create unique index on tokens (organisation_id, name) where revoked_at is null;
comment on table tokens is 'An API token. Only a hash of its secret is kept; a revoked token stays, as the author of its tickets.';
comment on column tokens.prefix is 'The first characters of the secret, by which people recognise it.';
comment on column tokens.runs_per_day is 'How many runs may start in a day (UTC) on tickets that it has filed; null for any number.';
comment on column tokens.last_used_at is 'To the minute.';

create table token_projects (
  organisation_id uuid not null,
  token_id uuid not null,
  project_id uuid not null,
  primary key (organisation_id, token_id, project_id),
  foreign key (organisation_id, token_id) references tokens on delete cascade,
  foreign key (organisation_id, project_id) references projects on delete cascade
);
create index on token_projects (organisation_id, project_id);
comment on table token_projects is 'The projects that a token of scope "projects" can access.';
