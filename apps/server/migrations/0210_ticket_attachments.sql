-- Files of any kind on tickets; their bytes are in the store.
create table ticket_attachments (
  organisation_id uuid not null references organisations on delete cascade,
  id uuid not null default uuidv7(),
  ticket_id uuid,
  filename text not null,
  content_type text,
  byte_length integer not null,
  sha256 bytea not null,
  store_key text not null unique,
  author_kind text not null check (author_kind in ('person', 'token')),
  author_name text not null,
  created_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, ticket_id) references tickets on delete set null (ticket_id)
);
create index on ticket_attachments (organisation_id, ticket_id);
create index ticket_attachments_gone on ticket_attachments (created_at) where ticket_id is null;
comment on table ticket_attachments is 'A file on a ticket; its bytes are in the store.';
comment on column ticket_attachments.ticket_id is 'Null once the ticket or the attachment is deleted: the file is to follow.';
