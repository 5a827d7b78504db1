-- end_reading_turns: written by npm run generate.
-- $1 appIds uuid[]
-- $2 served uuid[]
-- $3 failed uuid[]
-- $4 reader text
-- $5 now timestamptz
-- returns nothing

update reading_turns as turn set reader = null,
    until = $5::timestamptz + case when of_app = any($3::uuid[]) then case when failures + 1 < 2 then interval '0' else least(60, power(2, failures + 1 - 2)) * interval '1 s' end else interval '0' end,
    served_at = case when of_app = any($2::uuid[]) then $5::timestamptz else served_at end,
    failures = case when of_app = any($3::uuid[]) then least(failures + 1, 1000)
      when of_app = any($2::uuid[]) then 0 else failures end
  where of_app = any($1::uuid[]) and reader = $4::text;
