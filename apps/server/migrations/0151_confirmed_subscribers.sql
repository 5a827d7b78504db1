-- A subscriber by e-mail is told of nothing before the owner of its address has confirmed it. Nobody has asked those that
-- are there already, so they wait as well: an admin sends each the link.

alter table subscribers
  add column confirmed_at timestamptz,
  add column confirmation_sha256 bytea unique,
  add column confirmation_sent_at timestamptz;

update subscribers set enabled = false, disabled_at = now(), disabled_reason = 'Waiting for confirmation.',
  per_minute = least(coalesce(per_minute, 10), 60)
where kind = 'email';

alter table subscribers
  add constraint subscribers_confirmed check (kind <> 'email' or confirmed_at is not null or not enabled),
  add constraint subscribers_mails_per_minute check (kind <> 'email' or per_minute between 1 and 60 and per_minute is not null);
comment on column subscribers.confirmed_at is 'Since when the owner of its address wants its e-mails; null for any other kind, and while that is waited for.';
comment on column subscribers.confirmation_sha256 is 'The SHA-256 of the secret in the link that confirms it; null where there is none.';
