-- Images that descriptions and comments show.

create table images (
  organisation_id uuid not null references organisations on delete cascade,
  id uuid not null default uuidv7(),
  ticket_id uuid,
  drafted_by uuid references users on delete set null,
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
create index on images (drafted_by) where drafted_by is not null;
create index images_unshown on images (created_at) where not shown or ticket_id is null;
comment on table images is 'An image that texts of a ticket show; its bytes are in the store.';
comment on column images.ticket_id is 'The ticket whose texts may show it; null while its card is being written (drafted_by), and once the ticket is deleted and the image is to follow.';
comment on column images.drafted_by is 'Who writes the card that is to show it, until that card is filed; then null.';
comment on column images.shown is 'Whether a text was found that shows it. False where that is still to be checked: the image is new, or a text has changed.';
