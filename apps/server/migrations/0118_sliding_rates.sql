-- Rates are those of any 60 seconds, and no longer of a window that begins with a request: the moments of what was let
-- through are kept, and forgotten as they grow older. Unlogged as before: a crash forgets a minute of counting.
drop table rate_limits;
create unlogged table rate_limits (
  bucket text primary key,
  counted_at_ms bigint not null,
  per_minute_max integer not null,
  granted integer not null,
  at_ms bigint[] not null,
  total bigint[] not null
) with (fillfactor = 50);
comment on table rate_limits is 'Requests of each bucket that were let through within 60 seconds.';
comment on column rate_limits.counted_at_ms is 'When its latest requests came, in milliseconds since 1970, by the clock of the server that they came to.';
comment on column rate_limits.per_minute_max is 'How many it may have, as of its latest requests.';
comment on column rate_limits.granted is 'How many of its latest requests were let through.';
comment on column rate_limits.at_ms is 'When requests were let through, rising, after a 0 for whatever was before; where it may have more than 100, those of 1.2 s share one, the latest.';
comment on column rate_limits.total is 'How many were let through up to each of these moments, since the bucket is counted.';
