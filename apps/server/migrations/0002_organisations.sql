-- People, the organisations that they belong to, and how they came to belong to them.

create table users (
  id uuid primary key default uuidv7(),
  name text not null,
  email text not null check (email = lower(email)),
  email_verified_at timestamptz,
  provider_organisation_id uuid,
  created_at timestamptz not null default now()
);
create unique index users_password_email on users (email) where provider_organisation_id is null;
create index on users (provider_organisation_id) where provider_organisation_id is not null;
comment on table users is 'A person, or the AI agent of an organisation.';
comment on column users.email_verified_at is 'When somebody first followed a link that was mailed to the address.';
comment on column users.provider_organisation_id is 'The organisation whose identity provider made the account: the account belongs to this organisation alone and has no password. Null for accounts with a password, of which each address has one.';

create table passwords (
  user_id uuid primary key references users on delete cascade,
  hash text not null
);
comment on table passwords is 'What a password account signs in with.';
comment on column passwords.hash is 'scrypt (N = 16384, r = 16, p = 1, 64 bytes): the salt, a colon and the key, both in hexadecimal.';

create table organisations (
  id uuid primary key default uuidv7(),
  name text not null,
  slug text not null unique,
  plan text not null default 'free' check (plan in ('free', 'team', 'business')),
  monthly_install_limit integer check (monthly_install_limit >= 0),
  credits integer not null default 0 check (credits >= 0),
  agent_user_id uuid not null references users,
  requires_second_factor boolean not null default false,
  created_at timestamptz not null default now()
);
comment on table organisations is 'A tenant.';
comment on column organisations.monthly_install_limit is 'Replaces the limit of the plan, where it is set.';
comment on column organisations.credits is 'How many runs can still be started: the sum of its credit_entries.';
comment on column organisations.requires_second_factor is 'Whether members without a second factor can open nothing but their profile.';

alter table users add foreign key (provider_organisation_id) references organisations on delete cascade
  deferrable initially deferred;

create table members (
  organisation_id uuid not null references organisations on delete cascade,
  id uuid not null unique default uuidv7(),
  user_id uuid not null references users on delete cascade,
  role text not null default 'member' check (role in ('owner', 'admin', 'member')),
  joined_by text not null default 'provider'
    check (joined_by in ('setup', 'apply', 'creation', 'invitation', 'mailed_invitation', 'provider')),
  is_unlinked boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (organisation_id, user_id)
);
create index on members (user_id);
comment on table members is 'Who belongs to an organisation. Its agent is one of them.';
comment on column members.joined_by is 'How the membership came about. "invitation": by a link that its inviter could see; "mailed_invitation": by one that only the owner of the address could read.';
comment on column members.is_unlinked is 'Whether the person has unlinked the account from the identity provider: a matching address alone does not link it again.';

create table invitations (
  organisation_id uuid not null references organisations on delete cascade,
  id uuid not null unique default uuidv7(),
  email text not null check (email = lower(email)),
  role text not null check (role in ('owner', 'admin', 'member')),
  status text not null default 'pending' check (status in ('pending', 'accepted', 'canceled', 'rejected')),
  secret_sha256 bytea not null unique,
  mailed_secret_sha256 bytea unique,
  inviter_id uuid not null references users on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (organisation_id, id)
);
create unique index on invitations (organisation_id, email) where status = 'pending';
create index on invitations (inviter_id);
comment on table invitations is 'An invitation to an organisation by a link. Only a hash of the link''s secret is kept.';
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
comment on table identities is 'The account that a person of an identity provider signs in to, in the one organisation whose provider it is.';

create table password_links (
  user_id uuid primary key references users on delete cascade,
  secret_sha256 bytea not null unique,
  maker_id uuid,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
comment on table password_links is 'The link by which a person chooses a new password; a newer one takes its place.';
comment on column password_links.maker_id is 'The membership of the owner or admin who made it: the link works for as long as they may make one. Null for a link that was mailed to the person.';

create table stranger_mails (
  organisation_id uuid not null references organisations on delete cascade,
  day date not null,
  address text not null,
  count integer not null,
  primary key (organisation_id, day, address)
);
comment on table stranger_mails is 'E-mails of a day (UTC) to addresses that are not verified. The first e-mail of a later day deletes earlier days.';
comment on column stranger_mails.address is 'The recipient, in lower case; empty for all of the organisation together.';

create table credit_entries (
  organisation_id uuid not null references organisations on delete cascade,
  id uuid not null default uuidv7(),
  kind text not null check (kind in ('set', 'added', 'reserved', 'returned')),
  amount integer not null check (amount <> 0),
  run_id uuid check ((run_id is not null) = (kind in ('reserved', 'returned'))),
  actor_user_id uuid references users on delete set null,
  actor_name text,
  note text,
  created_at timestamptz not null default now(),
  primary key (organisation_id, id)
);
create unique index on credit_entries (organisation_id, run_id, kind) where run_id is not null;
comment on table credit_entries is 'Every change of an organisation''s credits; they add up to organisations.credits.';
comment on column credit_entries.run_id is 'The run that it was reserved for or returned by, each once; the run may be deleted.';

-- E-mail waits as a job. Statements can only add jobs of tasks that the queue knows.
insert into graphile_worker._private_tasks (identifier) values ('send_mail'), ('mail_password_link') on conflict do nothing;
