-- Finds cards by a part of their texts, with an index that nobody waits for who files.

create table ticket_search (
  organisation_id uuid not null,
  ticket_id uuid not null,
  title text not null,
  description text not null,
  primary key (organisation_id, ticket_id),
  foreign key (organisation_id, ticket_id) references tickets on delete cascade
);
create index ticket_search_title on ticket_search using gin (title gin_trgm_ops);
create index ticket_search_description on ticket_search using gin (description gin_trgm_ops);
comment on table ticket_search is 'What tickets are searched by, written after they were filed.';
comment on column ticket_search.description is 'Empty where it has more than 2,000 bytes: tickets_long_description has those.';

create table ticket_search_progress (
  organisation_id uuid primary key references organisations on delete cascade,
  indexed_until uuid not null
);
comment on table ticket_search_progress is 'How far the tickets of an organisation are in ticket_search.';
comment on column ticket_search_progress.indexed_until is 'All tickets until this one are, but some that were committed long after their id was made: the ten minutes before are looked at again.';
