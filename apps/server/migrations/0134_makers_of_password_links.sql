-- A link for a new password lets in for as long as whoever made it may make one, and no longer.
alter table password_links add maker_id uuid;
comment on column password_links.maker_id is 'The membership of the owner or admin who made it; null for one that was mailed to the person.';
