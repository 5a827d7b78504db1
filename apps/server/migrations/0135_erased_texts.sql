-- What an erasure took from cards stayed in what is searched.
update ticket_search set title = t.title,
  description = case when octet_length(t.description) <= 2000 then t.description else '' end
from tickets t
where t.organisation_id = ticket_search.organisation_id and t.id = ticket_search.ticket_id
  and (t.title <> ticket_search.title
    or case when octet_length(t.description) <= 2000 then t.description else '' end <> ticket_search.description);
