-- An identity provider's word counts in its organisation alone, and only a mailed link shows whose an address is.

alter table users
  add provider_organisation_id uuid references organisations on delete cascade deferrable initially deferred,
  add email_verified_at timestamptz,
  drop column email_verified;
-- The sign-in library expects it.
alter table users add email_verified boolean not null generated always as (email_verified_at is not null) stored;
alter table users drop constraint users_email_key;
create unique index users_password_email on users (email) where provider_organisation_id is null;
create index on users (provider_organisation_id) where provider_organisation_id is not null;
comment on column users.provider_organisation_id is 'The organisation whose identity provider made the account: it belongs to this one alone and has no password. Null for password accounts, of which each address has one.';
comment on column users.email_verified_at is 'When somebody first followed a link that was mailed to the address.';

alter table members
  add joined_by text not null default 'provider'
    check (joined_by in ('setup', 'apply', 'creation', 'invitation', 'mailed_invitation', 'provider')),
  add is_unlinked boolean not null default false;
comment on column members.joined_by is 'How the membership came about. "invitation": by a link that its inviter could see; "mailed_invitation": by one that only the owner of the address could read.';
comment on column members.is_unlinked is 'Whether the person has unlinked the account from the identity provider: an address alone does not link it again.';

alter table invitations add mailed_secret_sha256 bytea unique;
comment on column invitations.mailed_secret_sha256 is 'Of the link in the e-mail, which the inviter never sees; null where none was sent.';

create table identities (
  organisation_id uuid not null references organisations on delete cascade,
  issuer text not null,
  subject text not null,
  user_id uuid not null references users on delete cascade,
  linked_at timestamptz not null default now(),
  primary key (organisation_id, issuer, subject),
  unique (organisation_id, issuer, user_id)
);
create index on identities (user_id);
comment on table identities is 'Which account a person of an identity provider signs in to, in the one organisation whose provider it is.';

-- How earlier members joined is known from the audit log, else the operator made them.
update members set joined_by = 'apply';
update members set joined_by = case entry.details->>'by' when 'invitation' then 'invitation' else 'provider' end
from audit_entries entry
where entry.kind = 'member.joined' and entry.organisation_id = members.organisation_id
  and entry.details->>'userId' = members.user_id::text;

-- Whom a provider has made stays its own. Any other link was made by an address that anybody could have entered.
update users set provider_organisation_id = (select organisation_id from members where user_id = users.id)
where exists (select from accounts where user_id = users.id and provider_id like 'openid:%')
  and not exists (select from accounts where user_id = users.id and provider_id = 'credential')
  and not exists (select from passkeys where user_id = users.id)
  and (select count(*) = 1 and bool_and(joined_by = 'provider') from members where user_id = users.id);
insert into identities (organisation_id, issuer, subject, user_id)
select distinct on (provider_id, issuer, user_id) provider_organisation_id, issuer, subject, user_id
from accounts
join users on users.id = user_id
cross join lateral (select split_part(account_id, ' ', 1), substr(account_id, strpos(account_id, ' ') + 1)) named (issuer, subject)
where provider_id = 'openid:' || provider_organisation_id
order by provider_id, issuer, user_id, accounts.created_at desc;
delete from accounts where provider_id like 'openid:%';
delete from password_links using users where users.id = user_id and provider_organisation_id is not null;
