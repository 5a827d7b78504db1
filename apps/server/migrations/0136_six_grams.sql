-- A rare word is looked up by six of its letters: in an index of trigrams the lists of its parts grow with the table, however
-- rare the whole is. Long texts stay with trigrams, of which there are not so many (docs/decisions/search.md).

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
comment on function six_grams is 'Every six letters or digits of ASCII that stand in a row in a text, in small letters. Not for parallel plans, which take longer to begin than what few rows have to be read.';

create index ticket_search_six_grams on ticket_search using gin ((six_grams(title) collate "C"));

drop index event_summaries_search;
create index event_summaries_short on event_summaries
  using gin (search_text gin_trgm_ops, (six_grams(search_text) collate "C"))
  where hash is null and octet_length(search_text) <= 500;
create index event_summaries_long on event_summaries using gin (search_text gin_trgm_ops)
  where hash is null and octet_length(search_text) > 500;
