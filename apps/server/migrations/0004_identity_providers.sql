-- OpenID Connect: members sign in with the identity provider of their organisation.

create table identity_providers (
  organisation_id uuid primary key references organisations on delete cascade,
  issuer text not null,
  client_id text not null,
  sealed_client_secret text not null,
  domains text[] not null check (cardinality(domains) > 0),
  role_claim text not null,
  roles jsonb not null,
  default_role text check (default_role in ('admin', 'member')),
  is_required boolean not null,
  changed_at timestamptz not null
);
comment on table identity_providers is 'Where members of an organisation can sign in by OpenID Connect.';
comment on column identity_providers.sealed_client_secret is 'Encrypted.';
comment on column identity_providers.domains is 'The domains of the e-mail addresses that it may vouch for.';
comment on column identity_providers.role_claim is 'The claim of the ID token that decides the role.';
comment on column identity_providers.roles is 'The values of that claim that make somebody owner, admin or member: {"owner": […], …}.';
comment on column identity_providers.default_role is 'The role of people with none of those values; null refuses them.';
comment on column identity_providers.is_required is 'Whether members other than owners can sign in by it alone.';
