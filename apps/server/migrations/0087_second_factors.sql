-- A second factor beside the password: time-based codes, which an organisation can require.

create table totp_factors (
  user_id uuid primary key references users on delete cascade,
  sealed_secret bytea not null,
  created_at timestamptz not null,
  confirmed_at timestamptz,
  last_step bigint,
  attempts integer not null default 0,
  retry_at timestamptz
);
comment on table totp_factors is 'The time-based codes (RFC 6238) of a person; they count once one was entered.';
comment on column totp_factors.sealed_secret is 'The shared secret, encrypted with a key that is made of LODGE_SECRET.';
comment on column totp_factors.last_step is 'The step of time of the last code that was taken: none is taken twice.';
comment on column totp_factors.attempts is 'Codes tried since the last right one.';
comment on column totp_factors.retry_at is 'No code is looked at before; null where one is at once.';

create table recovery_codes (
  user_id uuid not null references users on delete cascade,
  code_sha256 bytea not null,
  primary key (user_id, code_sha256)
);
comment on table recovery_codes is 'What stands in for a time-based code, each once: 80 random bits, of which only a hash is kept.';

alter table organisations add requires_second_factor boolean not null default false;
comment on column organisations.requires_second_factor is 'Whether members without a second factor are let into nothing but their profile.';
