-- What the platform itself keeps: worker processes, rate limits, and the function that search indexes use.
-- pg_trgm is the only extension.

create extension if not exists pg_trgm;

create table workers (
  id text primary key,
  started_at timestamptz not null default now(),
  died_at timestamptz
);
comment on table workers is 'Processes that run jobs. Each holds a session advisory lock named after its id; a worker whose lock is free is dead.';
comment on column workers.died_at is 'When its lock was first found free; null while it lives. Statements that it had sent may still run a little later.';

-- Unlogged: a crash forgets a minute of counting, and counting costs no flush.
create unlogged table rate_limits (
  bucket text primary key,
  counted_at_ms bigint not null,
  per_minute_max integer not null,
  granted integer not null,
  at_ms bigint[] not null,
  total bigint[] not null
) with (fillfactor = 50);
comment on table rate_limits is 'The requests of each bucket that were let through within the last 60 seconds.';
comment on column rate_limits.counted_at_ms is 'When its latest requests came, in milliseconds since 1970, by the clock of the server that received them.';
comment on column rate_limits.per_minute_max is 'Its limit, as of its latest requests.';
comment on column rate_limits.granted is 'How many of its latest requests were let through.';
comment on column rate_limits.at_ms is 'When requests were let through, rising, after a 0 for everything before. Where the limit is above 100, requests within 1.2 s share one entry, the latest.';
comment on column rate_limits.total is 'How many were let through up to each entry of at_ms, since the bucket is counted.';

-- A rare word is looked up by six of its letters: in an index of trigrams the lists of its parts grow with the table, however
-- rare the whole is. Long texts stay with trigrams, since there are fewer of them (docs/decisions/search.md).
create function six_grams(text) returns text[] language plpgsql immutable strict cost 1 as $$
declare
  found text[] := '{}';
  word text;
begin
  foreach word in array regexp_split_to_array(lower($1 collate "C"), '[^a-z0-9]+') loop
    for at in 1 .. length(word) - 5 loop
      found := found || substr(word, at, 6);
    end loop;
  end loop;
  return found;
end $$;
comment on function six_grams is 'Every run of six ASCII letters or digits in a text, in lower case. Not parallel safe: a parallel plan takes longer to start than reading the few rows.';
