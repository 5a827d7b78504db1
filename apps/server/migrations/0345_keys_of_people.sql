-- What a person files or writes while the connection fails is sent again, and is to be there once.
alter table tickets add column idempotency_key text;
create unique index tickets_filed_once on tickets (organisation_id, author_user_id, idempotency_key)
  where idempotency_key is not null;
comment on column tickets.idempotency_key is 'The Idempotency-Key with which a person filed it; that of a token is in idempotency_records.';
alter table comments add column idempotency_key text;
comment on column comments.idempotency_key is 'The Idempotency-Key with which a person wrote it.';
