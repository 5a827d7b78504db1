-- find_untold_happenings: written by npm run generate.
-- returns found boolean

select exists (select from happenings where told_at is null) as found;
