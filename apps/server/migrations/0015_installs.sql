-- Monthly active installs: which there are, and how many.

create table active_installs (
  organisation_id uuid not null,
  month date not null,
  install uuid not null,
  slot smallint not null,
  primary key (organisation_id, month, install, slot)
) partition by list (slot);
create table active_installs_0 partition of active_installs for values in (0);
create table active_installs_1 partition of active_installs for values in (1);
create table active_installs_2 partition of active_installs for values in (2);
comment on table active_installs is 'The installs that were active in a month (UTC), each once. What two months ago has left behind is truncated.';
comment on column active_installs.month is 'The first day of the month.';
comment on column active_installs.install is 'The first 16 bytes of a SHA-256 of the app and the installId.';
comment on column active_installs.slot is 'The number of the month modulo 3, so that a month is forgotten by truncating one table.';

create table allowance_months (
  organisation_id uuid not null references organisations on delete cascade,
  month date not null,
  install_limit integer not null,
  decides boolean not null,
  forgiven boolean not null default false,
  installs integer not null default 0,
  crossed_on date,
  primary key (organisation_id, month)
);
comment on table allowance_months is 'A month (UTC) of an organisation in which an install was active.';
comment on column allowance_months.install_limit is 'The limit of active installs: in the end, the one in force when the month ended.';
comment on column allowance_months.decides is 'Whether being over in this month suspends ingestion: the two months before it ended over.';
comment on column allowance_months.forgiven is 'Whether an upgrade has made it count as within the limit.';
comment on column allowance_months.installs is 'Active installs, without those in install_counts. Where the month decides all new ones are counted here, one after another.';
comment on column allowance_months.crossed_on is 'In a month that decides, the day on which it went over its limit.';

create table install_counts (
  organisation_id uuid not null references organisations on delete cascade,
  month date not null,
  shard smallint not null,
  installs integer not null,
  primary key (organisation_id, month, shard)
) with (fillfactor = 50);
comment on table install_counts is 'Active installs of a month that does not decide, spread over rows so that requests do not wait for each other.';

-- Suspensions are rows of their own now.
alter table organisations drop column suspended_since;

create table suspensions (
  organisation_id uuid not null references organisations on delete cascade,
  since date not null,
  ends_on date not null,
  ended_at timestamptz,
  primary key (organisation_id, since)
);
comment on table suspensions is 'When ingestion of an organisation was or is refused for exceeding its install limit.';
comment on column suspensions.ends_on is 'The first day on which it no longer holds, unless a month in between ends over as well.';
comment on column suspensions.ended_at is 'When it ended, once that was recorded. Before, it holds until ends_on.';
