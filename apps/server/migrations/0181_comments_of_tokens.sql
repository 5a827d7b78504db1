alter table comments add column author_token_id uuid;
comment on column comments.author_token_id is 'The token that wrote it, if it was no person.';
alter table comments drop constraint comments_text_check, add check (char_length(text) between 1 and 20000);

-- What GET /api/v1/tickets walks along, column by column. Ids are left out: rows that changed in the same microsecond are
-- few, and no lookup of a foreign key can take such an index for its own.
create index tickets_updated on tickets (column_id,
  (case when archived_at is not null then 2 when done_at is not null then 1 else 0 end),
  (case priority when 'high' then 3 when 'medium' then 2 when 'low' then 1 else 0 end), updated_at);
create index tickets_created on tickets (column_id,
  (case when archived_at is not null then 2 when done_at is not null then 1 else 0 end), created_at);
create index tickets_due on tickets (column_id,
  (case when archived_at is not null then 2 when done_at is not null then 1 else 0 end), due_at, id)
  where due_at is not null;
create index tickets_labels on tickets using gin (labels) where labels <> '{}';
