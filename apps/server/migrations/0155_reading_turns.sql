-- Which worker reads the new reports of an app. Not logged: a crash of PostgreSQL ends all turns. The column is not named
-- app_id, since these rows are no data of an organisation: they are neither exported nor moved to another cell.
create unlogged table reading_turns (
  of_app uuid primary key,
  reader text,
  until timestamptz not null,
  served_at timestamptz,
  failures smallint not null default 0
) with (fillfactor = 50);
comment on table reading_turns is 'The worker that reads the new reports of an app: what it computes happens outside of any transaction.';
comment on column reading_turns.reader is 'Null while nobody reads them.';
comment on column reading_turns.until is 'Until then nobody else begins: the reader may have died, or the last turn failed.';
comment on column reading_turns.served_at is 'When the last turn ended. Who was served longest ago comes first.';
comment on column reading_turns.failures is 'How many turns in a row have failed, or ended with the death of their reader.';

alter table event_summaries add column read_failure text;
comment on column event_summaries.read_failure is 'Why the report is shown as it came; null where it was read.';
