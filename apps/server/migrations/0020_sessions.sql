-- Who is signed in to the dashboard. The columns are those that the sign-in library expects.

create table sessions (
  id uuid primary key default uuidv7(),
  user_id uuid not null references users on delete cascade,
  token text not null unique,
  active_organisation_id uuid references organisations on delete set null,
  ip_address text,
  user_agent text,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index on sessions (user_id);
create index on sessions (active_organisation_id);
comment on table sessions is 'A person who is signed in, in one browser.';
comment on column sessions.active_organisation_id is 'The organisation that the dashboard works on. It says nothing about membership: that is asked for with every request.';

create table verifications (
  id uuid primary key default uuidv7(),
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index on verifications (identifier);
comment on table verifications is 'Short-lived values of the sign-in library.';

create table invitations (
  organisation_id uuid not null references organisations on delete cascade,
  id uuid not null unique default uuidv7(),
  email text not null check (email = lower(email)),
  role text not null check (role in ('owner', 'admin', 'member')),
  status text not null default 'pending' check (status in ('pending', 'accepted', 'canceled', 'rejected')),
  secret_sha256 bytea not null unique,
  inviter_id uuid not null references users on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (organisation_id, id)
);
create unique index on invitations (organisation_id, email) where status = 'pending';
create index on invitations (inviter_id);
comment on table invitations is 'An invitation by link into an organisation. Only a hash of the link''s secret is kept.';
