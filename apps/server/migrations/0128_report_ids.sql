-- What de-duplicates reports is told apart from their events, so that these go without leaving anything to be written.

-- A server of the version before goes on accepting until it meets this, and waits then.
lock table events, forgotten_reports in share row exclusive mode;

create table report_ids (
  app_id uuid not null,
  digest uuid not null,
  event_id uuid not null,
  delivery_count integer not null
);
comment on table report_ids is 'Reports that were accepted, for ever: what recognises them when they are sent again, whether their events are still there or not.';
comment on column report_ids.digest is 'The first 16 bytes of a SHA-256 of the app and the reportId.';
comment on column report_ids.delivery_count is 'How many deliveries its receipt told of.';

insert into report_ids (app_id, digest, event_id, delivery_count)
select app_id, left(encode(sha256(convert_to(app_id::text || report_id, 'UTF8')), 'hex'), 32)::uuid, id, delivery_count from events
union all
select app_id, encode(report_digest, 'hex')::uuid, event_id, delivery_count from forgotten_reports forgotten
-- A worker that was killed has left both.
where not exists (select from events where events.app_id = forgotten.app_id and events.id = forgotten.event_id);

alter table report_ids add primary key (app_id, digest);
drop table forgotten_reports;
alter table events drop constraint events_app_id_report_id_key;
