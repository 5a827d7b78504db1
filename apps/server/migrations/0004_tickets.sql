-- Tickets, and everything that is written with them.

create table tickets (
  organisation_id uuid not null,
  id uuid not null default uuidv7(),
  column_id uuid not null,
  position text collate "C" not null,
  title text not null check (char_length(title) between 1 and 200),
  description text not null default '' check (char_length(description) <= 20000),
  priority text not null default 'none' check (priority in ('none', 'low', 'medium', 'high')),
  assignee_user_id uuid references users on delete set null,
  agent_repository_id uuid,
  starts_at date,
  due_at date check (starts_at <= due_at),
  author_token_id uuid,
  author_user_id uuid references users on delete set null,
  author_name text not null,
  created_at timestamptz not null default now(),
  primary key (organisation_id, id),
  foreign key (organisation_id, column_id) references columns on delete cascade,
  foreign key (organisation_id, agent_repository_id) references repositories on delete set null (agent_repository_id)
);
-- Not by organisation_id first: on an empty table the planner would take it for the primary key, and keep to it.
create index on tickets (column_id, position);
create index on tickets (assignee_user_id) where assignee_user_id is not null;
comment on table tickets is 'A ticket: on a board, a card. Its column tells its board and project.';
comment on column tickets.position is 'The place of the card in its column: the greatest is on top. A new card takes its id, which sorts after all that exist.';
comment on column tickets.author_name is 'The name of the token or person as it was when the ticket was filed.';

create table ticket_activities (
  organisation_id uuid not null,
  ticket_id uuid not null,
  id uuid not null default uuidv7(),
  kind text not null,
  actor_token_id uuid,
  actor_user_id uuid,
  actor_name text not null,
  details jsonb not null default '{}',
  created_at timestamptz not null default now(),
  primary key (organisation_id, ticket_id, id),
  foreign key (organisation_id, ticket_id) references tickets on delete cascade
);
comment on table ticket_activities is 'What happened to a ticket, who did it, and when.';

create table idempotency_records (
  organisation_id uuid not null,
  token_id uuid not null,
  key text not null,
  request_sha256 bytea not null,
  response_body text not null,
  created_at timestamptz not null default now(),
  primary key (organisation_id, token_id, key),
  foreign key (organisation_id, token_id) references tokens on delete cascade
);
comment on table idempotency_records is 'The answer that an Idempotency-Key of a token replays. Never expires, and outlives its ticket.';

create table agent_runs (
  organisation_id uuid not null,
  id uuid not null default uuidv7(),
  ticket_id uuid not null,
  repository_id uuid,
  state text not null check (state in ('queued', 'held')),
  held_reason text check ((state = 'held') = (held_reason is not null)),
  created_at timestamptz not null default now(),
  primary key (organisation_id, id),
  foreign key (organisation_id, ticket_id) references tickets on delete cascade,
  foreign key (organisation_id, repository_id) references repositories on delete set null (repository_id)
);
create index on agent_runs (organisation_id, ticket_id);
comment on table agent_runs is 'The agent at work on a ticket. A held run waits for what its reason names.';
