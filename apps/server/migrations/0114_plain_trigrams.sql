-- Trigrams of cards by themselves, not beside the organisation: an index has a list for each, and reading that of an
-- organisation as well made a search slower (docs/decisions/search.md). Of extensions pg_trgm is all that is left.

drop index ticket_search_title, ticket_search_description;
create index ticket_search_title on ticket_search using gin (title gin_trgm_ops);
create index ticket_search_description on ticket_search using gin (description gin_trgm_ops);

-- It stays where somebody else made it, or uses it.
do $$ begin
  drop extension if exists btree_gin;
exception when insufficient_privilege or dependent_objects_still_exist then null;
end $$;
