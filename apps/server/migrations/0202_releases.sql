-- The versions of an app with their users, a problem's assignee, and problems that the next version resolves.

create table app_releases (
  app_id uuid not null references apps (id) on delete cascade,
  version text not null,
  users bytea not null,
  user_count integer not null,
  primary key (app_id, version)
);
comment on table app_releases is 'The users that a version of an app has sent reports of. Its events are counted in app_facets.';
comment on column app_releases.users is 'A HyperLogLog of 1,024 registers: it counts users, and does not say who they are.';

alter table problems add column assignee_user_id uuid references users on delete set null;
create index on problems (assignee_user_id) where assignee_user_id is not null;
alter table problems add column resolved_in_next boolean not null default false;
comment on column problems.resolved_in_next is 'That the version after resolved_version resolves it, not that version.';
