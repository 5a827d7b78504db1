-- Passkeys: signing in without a password, which counts as a second factor.

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
comment on column passkeys.credential_id is 'What the device calls it, in base64url.';
comment on column passkeys.counter is 'How often it has signed, where its device counts: one that goes back was copied.';

comment on table verifications is 'Short-lived values of the sign-in library, and what browsers were asked for passkeys with.';
