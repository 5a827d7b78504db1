-- OpenID Connect: members sign in with the identity provider of their organisation.

create table identity_providers (
  organisation_id uuid primary key references organisations on delete cascade,
  issuer text not null,
  client_id text not null,
  sealed_client_secret bytea not null,
  domains text[] not null check (cardinality(domains) > 0),
  role_claim text not null,
  roles jsonb not null,
  default_role text check (default_role in ('admin', 'member')),
  is_required boolean not null,
  changed_at timestamptz not null
);
comment on table identity_providers is 'Where members of an organisation can sign in by OpenID Connect.';
comment on column identity_providers.sealed_client_secret is 'Encrypted with a key that is made of LODGE_SECRET.';
comment on column identity_providers.domains is 'The domains of e-mail addresses that it may vouch for.';
comment on column identity_providers.role_claim is 'The claim of the ID token that says what somebody is.';
comment on column identity_providers.roles is 'The values of that claim which make somebody owner, admin or member: {"owner": […], …}.';
comment on column identity_providers.default_role is 'The role of who has none of the values; null lets in nobody else.';
comment on column identity_providers.is_required is 'Whether members who are no owners get in by it alone.';

alter table sessions
  add provider_organisation_id uuid references organisations on delete cascade,
  add constraint sessions_within_provider check (active_organisation_id = provider_organisation_id);
create index on sessions (provider_organisation_id) where provider_organisation_id is not null;
comment on column sessions.provider_organisation_id is 'The organisation whose identity provider has opened it: it works on no other one, however many the person belongs to.';

-- The sign-in library would have it last for as long as it is used.
create function keep_end_of_provider_session() returns trigger language plpgsql as $$
begin
  new.expires_at := old.expires_at;
  return new;
end
$$;
create trigger keep_end_of_provider_session before update of expires_at on sessions
  for each row when (old.provider_organisation_id is not null) execute function keep_end_of_provider_session();
