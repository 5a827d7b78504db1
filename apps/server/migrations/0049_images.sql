-- Images that descriptions and comments show.

create table images (
  organisation_id uuid not null references organisations on delete cascade,
  id uuid not null default uuidv7(),
  ticket_id uuid,
  content_type text not null,
  byte_length integer not null,
  sha256 bytea not null,
  store_key text not null unique,
  shown boolean not null default false,
  created_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, ticket_id) references tickets on delete set null (ticket_id)
);
create index on images (ticket_id);
create index images_unshown on images (created_at) where not shown or ticket_id is null;
comment on table images is 'An image that texts of a ticket show; its bytes are in the store.';
comment on column images.ticket_id is 'Whose texts may show it; null once the ticket is gone, and the image is to follow.';
comment on column images.shown is 'Whether a text was found that shows it. False where that is to be found out: it is new, or a text has changed.';
