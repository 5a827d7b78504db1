-- Images of cards that are still being written.

alter table images add column drafted_by uuid references users on delete set null;
create index on images (drafted_by) where drafted_by is not null;
comment on column images.drafted_by is 'Who writes the card that is to show it, until that is filed; then null.';
comment on column images.ticket_id is 'Whose texts may show it; null while its card is being written (drafted_by), and once the ticket is gone and the image is to follow.';
