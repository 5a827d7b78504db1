-- Members watch and mute tickets, and find the open ones that they have or follow.
create table ticket_follows (
  organisation_id uuid not null,
  ticket_id uuid not null,
  user_id uuid not null,
  state text not null check (state in ('watching', 'muted')),
  primary key (organisation_id, ticket_id, user_id),
  foreign key (organisation_id, ticket_id) references tickets on delete cascade,
  foreign key (organisation_id, user_id) references members on delete cascade
);
create index on ticket_follows (organisation_id, user_id);
comment on table ticket_follows is 'A member watches or mutes a ticket. Without a row they follow the tickets that they have filed, have, or have commented on.';
-- Tokens file without an author, and pay nothing for it.
create index tickets_author on tickets (author_user_id) where author_user_id is not null;
