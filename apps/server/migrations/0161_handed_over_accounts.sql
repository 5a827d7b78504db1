-- A password link that an owner or admin has made lets whoever uses it into the account, who need not be its person. From
-- then on the account is no longer known to be its owner's alone, until the owner of the address follows a mailed link.

alter table users
  add handed_over_at timestamptz,
  add link_mails_on date,
  add link_mails integer not null default 0;
comment on column users.handed_over_at is 'When somebody last chose the password by a link that an owner or admin had made; null again after a mailed link.';
comment on column users.link_mails_on is 'The day (UTC) that link_mails counts.';
comment on column users.link_mails is 'How many links for a new password were mailed that day while the address was not verified.';
