-- By which key installs came: who invents them is shut out by revoking it.

create table key_installs (
  app_id uuid not null references apps (id) on delete cascade,
  day date not null,
  sdk_key_id uuid not null,
  shard smallint not null,
  installs integer not null,
  primary key (app_id, day, sdk_key_id, shard)
) with (fillfactor = 50);
comment on table key_installs is 'Installs that were seen for the first time in a month, by day (UTC) and by the SDK key that brought them; kept for 100 days.';
comment on column key_installs.shard is 'One of 16, so that requests do not wait for each other.';
