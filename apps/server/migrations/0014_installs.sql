-- Monthly active installs: which there are, how many, and what exceeding the limit led to.

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
comment on table active_installs is 'The installs that were active in a month (UTC), each once. The rows of two months ago are truncated.';
comment on column active_installs.month is 'The first day of the month.';
comment on column active_installs.install is 'The first 16 bytes of a SHA-256 of the app and the installId.';
comment on column active_installs.slot is 'The number of the month modulo 3, so that a month is deleted by truncating one table.';

create table allowance_months (
  organisation_id uuid not null references organisations on delete cascade,
  month date not null,
  install_limit integer not null,
  decides boolean not null,
  forgiven boolean not null default false,
  struck_out_at timestamptz,
  installs integer not null default 0,
  counted_on date,
  crossed_on date,
  primary key (organisation_id, month)
);
comment on table allowance_months is 'A month (UTC) of an organisation in which an install was active.';
comment on column allowance_months.install_limit is 'The limit of active installs: in the end, the one in force when the month ended.';
comment on column allowance_months.decides is 'Whether being over in this month suspends ingestion: the two months before it ended over.';
comment on column allowance_months.forgiven is 'Whether an upgrade has made it count as within the limit, or an owner who struck it out.';
comment on column allowance_months.struck_out_at is 'When an owner struck it out; it is forgiven then.';
comment on column allowance_months.installs is 'Active installs, without those in install_counts. Where the month decides, all new ones are counted here, one after another.';
-- A column, because a subquery in DO UPDATE is refused by distributed engines (docs/decisions/cells.md).
comment on column allowance_months.counted_on is 'In a month that decides, the latest day on which an install was counted here; null where none was.';
comment on column allowance_months.crossed_on is 'In a month that decides, the day on which it went over its limit.';

create table install_counts (
  organisation_id uuid not null references organisations on delete cascade,
  month date not null,
  shard smallint not null,
  installs integer not null,
  primary key (organisation_id, month, shard)
) with (fillfactor = 50);
comment on table install_counts is 'Active installs of a month that does not decide, spread over rows so that requests do not wait for each other.';

create table install_days (
  organisation_id uuid not null references organisations on delete cascade,
  day date not null,
  installs integer not null,
  primary key (organisation_id, day)
);
comment on table install_days is 'How many installs were active in the month (UTC) up to a day, as last counted on that day; kept for 100 days.';

create table key_installs (
  app_id uuid not null references apps (id) on delete cascade,
  day date not null,
  sdk_key_id uuid not null,
  shard smallint not null,
  installs integer not null,
  primary key (app_id, day, sdk_key_id, shard)
) with (fillfactor = 50);
comment on table key_installs is 'Installs that were seen for the first time in a month, by day (UTC) and by the SDK key that brought them; kept for 100 days. A key that invents installs can be revoked.';
comment on column key_installs.shard is 'One of 16, so that requests do not wait for each other.';

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
