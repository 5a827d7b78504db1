-- People and the organisations that they belong to.
-- users, accounts, organisations and members have the columns that the sign-in library expects.

create table users (
  id uuid primary key default uuidv7(),
  name text not null,
  email text not null unique check (email = lower(email)),
  email_verified boolean not null default false,
  image text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table users is 'A person, or the AI agent of an organisation.';

create table accounts (
  id uuid primary key default uuidv7(),
  user_id uuid not null references users on delete cascade,
  provider_id text not null,
  account_id text not null,
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (provider_id, account_id)
);
create index on accounts (user_id);
comment on table accounts is 'How a user signs in; the provider "credential" keeps a password as the sign-in library hashes it.';

create table organisations (
  id uuid primary key default uuidv7(),
  name text not null,
  slug text not null unique,
  logo text,
  metadata text,
  plan text not null default 'free' check (plan in ('free', 'team', 'business')),
  monthly_install_limit integer check (monthly_install_limit >= 0),
  credits integer not null default 0 check (credits >= 0),
  agent_user_id uuid not null references users,
  created_at timestamptz not null default now()
);
comment on table organisations is 'A tenant.';
comment on column organisations.monthly_install_limit is 'Instead of the limit of the plan, where it is set.';
comment on column organisations.credits is 'Agent runs that can still be queued: queueing one takes one.';

create table members (
  organisation_id uuid not null references organisations on delete cascade,
  id uuid not null unique default uuidv7(),
  user_id uuid not null references users on delete cascade,
  role text not null default 'member' check (role in ('owner', 'admin', 'member')),
  created_at timestamptz not null default now(),
  primary key (organisation_id, user_id)
);
create index on members (user_id);
comment on table members is 'Who belongs to an organisation. Its agent is one of them.';
