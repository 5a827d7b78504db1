-- Tickets of one problem are one card, with a count; labels.

alter table tickets
  add column problem text,
  add column problem_project_id uuid,
  add column occurrences integer not null default 1,
  add column occurred_at timestamptz,
  add column occurrence_noted_at timestamptz,
  add column previous_ticket_id uuid,
  add column labels text[] not null default '{}';
comment on column tickets.problem is 'What its author says that it is about: while it is open, there is no other of this problem in its project.';
comment on column tickets.problem_project_id is 'The project, where it has a problem.';
comment on column tickets.occurrences is 'How often the problem was told of while the ticket was open.';
comment on column tickets.occurred_at is 'When the problem was last told of; null for a ticket without.';
comment on column tickets.occurrence_noted_at is 'When that was last written into its history.';
comment on column tickets.previous_ticket_id is 'The ticket of the same problem before, which was done or archived by then; it may be gone.';
comment on column tickets.labels is 'In the order in which they were given.';

create unique index tickets_open_problem on tickets (organisation_id, problem_project_id, problem)
  where problem is not null and archived_at is null and done_at is null;
create index tickets_problem on tickets (problem_project_id, problem, id) where problem is not null;

create table labels (
  organisation_id uuid not null references organisations on delete cascade,
  name text not null check (char_length(name) between 1 and 50),
  created_at timestamptz not null default now(),
  primary key (organisation_id, name)
);
comment on table labels is 'The labels that tickets of an organisation have had, to choose from.';

alter table idempotency_records add column response_status integer not null default 201;
comment on column idempotency_records.response_status is 'The status of the answer that is replayed.';
