-- Tickets, and everything that is written with them.

create table tickets (
  organisation_id uuid not null,
  id uuid not null default uuidv7(),
  column_id uuid not null,
  position text collate "C" not null,
  title text not null check (char_length(title) between 1 and 200),
  description text not null default '' check (char_length(description) <= 20000),
  priority text not null default 'none' check (priority in ('none', 'low', 'medium', 'high')),
  labels text[] not null default '{}',
  assignee_user_id uuid references users on delete set null,
  agent_repository_id uuid,
  starts_at date,
  due_at date check (starts_at <= due_at),
  author_token_id uuid,
  author_user_id uuid references users on delete set null,
  author_name text not null,
  app_id uuid,
  event_id uuid,
  delivery_id uuid,
  origin text generated always as (
    case when event_id is not null then 'report' when author_token_id is not null then 'token' else 'person' end
  ) virtual,
  problem text,
  problem_project_id uuid,
  occurrences integer not null default 1,
  occurred_at timestamptz,
  occurrence_noted_at timestamptz,
  previous_ticket_id uuid,
  created_at timestamptz not null default now(),
  done_at timestamptz,
  archived_at timestamptz,
  primary key (organisation_id, id),
  foreign key (organisation_id, column_id) references columns on delete cascade,
  foreign key (organisation_id, agent_repository_id) references repositories on delete set null (agent_repository_id)
);
-- A board reads its cards without passing over archived ones; the foreign key of columns finds both. Not by organisation_id
-- first: on an empty table the planner would take it for the primary key, and keep to it.
create index tickets_shown on tickets (column_id, (archived_at is null), position);
create index tickets_done on tickets (done_at) where done_at is not null and archived_at is null;
create index on tickets (assignee_user_id) where assignee_user_id is not null;
create unique index on tickets (organisation_id, delivery_id) where delivery_id is not null;
-- The cards of an event, once the delivery that filed them is gone.
create index on tickets (app_id, event_id) where event_id is not null;
create unique index tickets_open_problem on tickets (organisation_id, problem_project_id, problem)
  where problem is not null and archived_at is null and done_at is null;
create index tickets_problem on tickets (problem_project_id, problem, id) where problem is not null;
-- Finds a part of a long description. Short ones are read: an index of them would cost each ticket half of what filing it costs.
create index tickets_long_description on tickets using gin (description gin_trgm_ops) where octet_length(description) > 2000;
comment on table tickets is 'A ticket: on a board, a card. Its column tells its board and project.';
comment on column tickets.position is 'The place of the card in its column: the greatest is on top. A new card takes its id, which sorts after all that exist.';
comment on column tickets.labels is 'In the order in which they were given.';
comment on column tickets.author_name is 'The name of the token or person when the ticket was filed.';
comment on column tickets.event_id is 'The event of the app that it was filed for; the event may be deleted.';
comment on column tickets.delivery_id is 'The delivery that filed it: however many times it is attempted, there is one card.';
comment on column tickets.origin is 'What it was filed by: report, token or person.';
comment on column tickets.problem is 'What its author says that it is about: while it is open, its project has no other of this problem.';
comment on column tickets.problem_project_id is 'The project, where it has a problem.';
comment on column tickets.occurrences is 'How many times the problem was reported while the ticket was open.';
comment on column tickets.occurred_at is 'When the problem was last reported; null for a ticket without.';
comment on column tickets.occurrence_noted_at is 'When that was last written into its history.';
comment on column tickets.previous_ticket_id is 'The earlier ticket of the same problem, which was done or archived by then; it may be deleted.';
comment on column tickets.done_at is 'When it was done: moved to its board''s done column, or resolved. Null where it is not.';
comment on column tickets.archived_at is 'When it was archived: no board shows it. Null where it is not.';

create table ticket_numbers (
  organisation_id uuid not null,
  project_id uuid not null,
  number integer not null,
  ticket_id uuid not null,
  primary key (organisation_id, project_id, number),
  -- A search reads the numbers from the index alone: among a million tickets each lies on a page of its own.
  unique (organisation_id, ticket_id) include (project_id, number),
  foreign key (organisation_id, project_id) references projects on delete cascade
);
comment on table ticket_numbers is 'The number of each ticket in its project, from 1, given after it was filed. The row of a deleted ticket stays, so that no number is given twice.';

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
create index on ticket_activities using brin (created_at); -- rows come in the order of time, so it costs next to nothing
comment on table ticket_activities is 'What happened to a ticket, who did it, and when.';

create table ticket_texts (
  organisation_id uuid not null,
  ticket_id uuid not null,
  activity_id uuid not null,
  field text not null check (field in ('title', 'description')),
  before text not null,
  after text not null,
  primary key (organisation_id, ticket_id, activity_id, field),
  foreign key (organisation_id, ticket_id, activity_id) references ticket_activities on delete cascade
);
comment on table ticket_texts is 'A title or description before and after a change. The latest 40 of each ticket are kept.';

create table comments (
  organisation_id uuid not null,
  ticket_id uuid not null,
  id uuid not null default uuidv7(),
  author_user_id uuid references users on delete set null,
  author_name text not null,
  text text not null check (char_length(text) between 1 and 10000),
  mentions jsonb not null default '[]',
  created_at timestamptz not null default now(),
  edited_at timestamptz,
  primary key (organisation_id, ticket_id, id),
  foreign key (organisation_id, ticket_id) references tickets on delete cascade
);
create index on comments (author_user_id) where author_user_id is not null;
comment on table comments is 'A comment on a ticket.';
comment on column comments.author_name is 'The name of the person when the comment was written.';
comment on column comments.mentions is 'Who is mentioned: [{id, name}], the name as it stands in the text.';
comment on column comments.edited_at is 'When its author last changed it; null where they have not.';

create table labels (
  organisation_id uuid not null references organisations on delete cascade,
  name text not null check (char_length(name) between 1 and 50),
  created_at timestamptz not null default now(),
  primary key (organisation_id, name)
);
comment on table labels is 'The labels that tickets of an organisation have had, to choose from.';

create table idempotency_records (
  organisation_id uuid not null,
  token_id uuid not null,
  key text not null,
  request_sha256 bytea not null,
  response_status integer not null default 201,
  response_body text not null,
  created_at timestamptz not null default now(),
  primary key (organisation_id, token_id, key),
  foreign key (organisation_id, token_id) references tokens on delete cascade
);
comment on table idempotency_records is 'The answer that an Idempotency-Key of a token replays. It never expires, and outlives its ticket.';

-- Finds cards by a part of their texts. It is written after they were filed, so that filing does not wait for it.
create table ticket_search (
  organisation_id uuid not null,
  ticket_id uuid not null,
  title text not null,
  description text not null,
  primary key (organisation_id, ticket_id),
  foreign key (organisation_id, ticket_id) references tickets on delete cascade
);
-- Trigrams alone, not beside the organisation: an index has a list for each, and reading that of an organisation as well
-- makes a search slower (docs/decisions/search.md).
create index ticket_search_title on ticket_search using gin (title gin_trgm_ops);
create index ticket_search_description on ticket_search using gin (description gin_trgm_ops);
create index ticket_search_six_grams on ticket_search using gin ((six_grams(title) collate "C"));
comment on table ticket_search is 'The texts by which tickets are searched.';
comment on column ticket_search.description is 'Empty where it has more than 2,000 bytes: tickets_long_description has those.';

create table ticket_search_progress (
  organisation_id uuid primary key references organisations on delete cascade,
  indexed_until uuid not null
);
comment on table ticket_search_progress is 'How far the tickets of an organisation are in ticket_search.';
comment on column ticket_search_progress.indexed_until is 'All tickets up to this one are, except some that were committed long after their id was made: the ten minutes before are read again.';
