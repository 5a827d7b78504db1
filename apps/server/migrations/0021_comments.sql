-- What people write on tickets, and the order of projects.

create table comments (
  organisation_id uuid not null,
  ticket_id uuid not null,
  id uuid not null default uuidv7(),
  author_user_id uuid references users on delete set null,
  author_name text not null,
  text text not null check (char_length(text) between 1 and 10000),
  mentions jsonb not null default '[]',
  created_at timestamptz not null default now(),
  primary key (organisation_id, ticket_id, id),
  foreign key (organisation_id, ticket_id) references tickets on delete cascade
);
create index on comments (author_user_id) where author_user_id is not null;
comment on table comments is 'A comment on a ticket.';
comment on column comments.author_name is 'The name of the person as it was when the comment was written.';
comment on column comments.mentions is 'Who is mentioned: [{id, name}], the name as it stands in the text.';

alter table projects add column position integer not null default 0;
comment on column projects.position is 'The place among the projects of the organisation, then by id.';
