-- Apps that send reports, and the keys that their SDKs send them with.

alter table organisations add column suspended_since date;
comment on column organisations.suspended_since is 'Since when ingestion is refused for exceeding the install limit; null where it is not.';

create table apps (
  organisation_id uuid not null references organisations on delete cascade,
  id uuid not null unique default uuidv7(),
  name text not null,
  slug text not null,
  enabled boolean not null default true,
  replies boolean not null default false,
  allowed_origins text[],
  settings jsonb not null default '{}',
  created_at timestamptz not null default now(),
  primary key (organisation_id, id),
  unique (organisation_id, slug)
);
comment on table apps is 'An application whose SDK sends reports.';
comment on column apps.enabled is 'What GET /api/config tells the SDK: whether it should send at all.';
comment on column apps.allowed_origins is 'Web origins whose pages may read an answer; null for any.';
comment on column apps.settings is 'Free-form settings of the app''s own, handed to its SDK.';

create table sdk_keys (
  app_id uuid not null references apps (id) on delete cascade,
  id uuid not null default uuidv7(),
  name text not null check (char_length(name) between 1 and 80),
  key text not null unique,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  primary key (app_id, id)
);
create unique index on sdk_keys (app_id, name) where revoked_at is null;
comment on table sdk_keys is 'An SDK key. It is publishable, so it is kept as it is.';
