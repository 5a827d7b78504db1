-- From where people sign in, so that those who guess their passwords from elsewhere do not lock them out.

create table known_addresses (
  user_id uuid not null references users on delete cascade,
  address text not null,
  seen_at timestamptz not null,
  primary key (user_id, address)
);
create index on known_addresses (seen_at);
comment on table known_addresses is 'An address from which a person signed in within the last 90 days: an IPv4 address, or the /64 of an IPv6 one.';
