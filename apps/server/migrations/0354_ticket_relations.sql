-- Relations between tickets of an organisation: duplicates, blockers, and those that belong together.
create table ticket_relations (
  organisation_id uuid not null,
  ticket_id uuid not null,
  other_id uuid not null check (other_id <> ticket_id),
  kind text not null check (kind in ('duplicate', 'blocks', 'relates')),
  moved jsonb check ((moved is null) = (kind <> 'duplicate')),
  created_at timestamptz not null,
  primary key (organisation_id, ticket_id, other_id),
  foreign key (organisation_id, ticket_id) references tickets on delete cascade,
  foreign key (organisation_id, other_id) references tickets on delete cascade
);
create index on ticket_relations (organisation_id, other_id);
create unique index ticket_relations_pair
  on ticket_relations (organisation_id, least(ticket_id, other_id), greatest(ticket_id, other_id));
create unique index ticket_relations_duplicate on ticket_relations (organisation_id, ticket_id) where kind = 'duplicate';
comment on table ticket_relations is 'A relation between two tickets, at most one for a pair. It is not shown while one of them is in the trash.';
comment on column ticket_relations.ticket_id is 'The duplicate, or the one that blocks the other.';
comment on column ticket_relations.moved is 'What removing a duplicate moves back: its comments, its occurrences, its problem, and its place before it was closed.';
