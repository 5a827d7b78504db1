-- Who is signed in, and what people sign in with.

create table sessions (
  id uuid primary key default uuidv7(),
  user_id uuid not null references users on delete cascade,
  token_sha256 bytea not null unique,
  active_organisation_id uuid references organisations on delete set null,
  provider_organisation_id uuid references organisations on delete cascade,
  ip_address text,
  user_agent text,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint sessions_within_provider check (active_organisation_id = provider_organisation_id)
);
create index on sessions (user_id);
create index on sessions (active_organisation_id);
create index on sessions (provider_organisation_id) where provider_organisation_id is not null;
comment on table sessions is 'A person who is signed in, in one browser. The cookie has the token.';
comment on column sessions.active_organisation_id is 'The organisation that the dashboard shows. It does not prove membership: every request checks that.';
comment on column sessions.provider_organisation_id is 'The organisation whose identity provider opened the session: it is limited to this organisation, however many the person belongs to.';

create table passkey_challenges (
  purpose text not null,
  challenge text not null,
  expires_at timestamptz not null,
  primary key (purpose, challenge)
);
comment on table passkey_challenges is 'What browsers were asked to sign with a passkey, each to be answered once.';

create table known_addresses (
  user_id uuid not null references users on delete cascade,
  address text not null,
  seen_at timestamptz not null,
  primary key (user_id, address)
);
create index on known_addresses (seen_at);
comment on table known_addresses is 'An address from which a person signed in within the last 90 days: an IPv4 address, or the /64 of an IPv6 address. Guesses from elsewhere do not lock it out.';

create table totp_factors (
  user_id uuid primary key references users on delete cascade,
  sealed_secret text not null,
  created_at timestamptz not null,
  confirmed_at timestamptz,
  last_step bigint,
  attempts integer not null default 0,
  retry_at timestamptz
);
comment on table totp_factors is 'The time-based codes (RFC 6238) of a person; they count once a code was entered.';
comment on column totp_factors.sealed_secret is 'The shared secret, encrypted.';
comment on column totp_factors.last_step is 'The time step of the last code that was accepted: no code is accepted twice.';
comment on column totp_factors.attempts is 'Codes tried since the last right one.';
comment on column totp_factors.retry_at is 'No code is checked before this time; null where the next one is checked at once.';

create table recovery_codes (
  user_id uuid not null references users on delete cascade,
  code_sha256 bytea not null,
  primary key (user_id, code_sha256)
);
comment on table recovery_codes is 'Codes that replace a time-based code, each once: 80 random bits, of which only a hash is kept.';

create table passkeys (
  user_id uuid not null references users on delete cascade,
  id uuid not null default uuidv7(),
  name text not null,
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  created_at timestamptz not null,
  used_at timestamptz,
  primary key (user_id, id)
);
comment on table passkeys is 'What a person signs in with instead of a password (Web Authentication); the private keys stay on the devices.';
comment on column passkeys.credential_id is 'The device''s id of it, in base64url.';
comment on column passkeys.counter is 'How many times it has signed, where its device counts: a counter that goes back means that the key was copied.';
