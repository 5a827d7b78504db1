-- What people must be told of tickets.

create table notices (
  organisation_id uuid not null references organisations on delete cascade,
  user_id uuid not null references users on delete cascade,
  id uuid not null default uuidv7(),
  kind text not null check (kind in ('mentioned', 'assigned', 'commented')),
  ticket_id uuid not null,
  comment_id uuid,
  actor_name text not null,
  created_at timestamptz not null,
  read_at timestamptz,
  primary key (organisation_id, user_id, id),
  foreign key (organisation_id, ticket_id) references tickets on delete cascade
);
create index on notices (ticket_id);
create index on notices (user_id) where read_at is null;
create index on notices (created_at);
comment on table notices is 'What a member is to be told: a mention, a ticket that became his, a comment on one that he follows. Kept for 90 days.';
comment on column notices.actor_name is 'The name, as it was then, of who did it.';
comment on column notices.read_at is 'When the member has read it; null while he has not.';
