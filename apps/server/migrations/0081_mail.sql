-- E-mail waits as a job; whoever has lost a password comes in by a link.

insert into graphile_worker._private_tasks (identifier) values ('send_mail'), ('mail_password_link') on conflict do nothing;

create table password_links (
  user_id uuid primary key references users on delete cascade,
  secret_sha256 bytea not null unique,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
comment on table password_links is 'The link by which a person chooses a new password; a newer one takes its place.';
