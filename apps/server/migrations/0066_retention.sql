-- What retention and erasure leave behind of reports, and what retention looks things up by.

create table forgotten_reports (
  app_id uuid not null references apps (id) on delete cascade,
  report_digest bytea not null,
  event_id uuid not null,
  delivery_count integer not null,
  primary key (app_id, report_digest)
);
comment on table forgotten_reports is 'Reports whose events were deleted: what still de-duplicates them, for ever.';
comment on column forgotten_reports.report_digest is 'The first 16 bytes of a SHA-256 of the app and the reportId.';

alter table problem_hashes add column dropped_count bigint not null default 0;
comment on column problem_hashes.dropped_count is 'How many of its events retention has deleted; they still count.';

-- Rows come in the order of time, so these cost next to nothing.
create index on delivery_attempts using brin (started_at);
create index on ticket_activities using brin (created_at);
