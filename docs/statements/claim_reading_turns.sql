-- claim_reading_turns: written by npm run generate.
-- $1 appIds uuid[]
-- $2 reader text
-- $3 now timestamptz
-- returns app_id uuid

insert into reading_turns as turn (of_app, reader, until)
  select app_id, $2::text, $3::timestamptz + interval '20 s' from unnest($1::uuid[]) as app_id
  where pg_try_advisory_xact_lock_shared(hashtextextended('lodge read events ' || app_id, 0))
  order by app_id
  on conflict (of_app) do update set reader = excluded.reader, until = excluded.until,
    failures = turn.failures + case when turn.reader <> excluded.reader then 1 else 0 end
  where turn.until <= $3::timestamptz or turn.reader = excluded.reader
  returning of_app as app_id;
