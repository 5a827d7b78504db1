-- Months that an owner does not let count, and how installs came day by day.

alter table allowance_months add column struck_out_at timestamptz;
comment on column allowance_months.forgiven is 'Whether an upgrade has made it count as within the limit, or an owner who struck it out.';
comment on column allowance_months.struck_out_at is 'When an owner struck it out; it is forgiven then.';

create table install_days (
  organisation_id uuid not null references organisations on delete cascade,
  day date not null,
  installs integer not null,
  primary key (organisation_id, day)
);
comment on table install_days is 'How many installs were active in the month (UTC) up to a day, as it was looked at last on that day; kept for 100 days.';
