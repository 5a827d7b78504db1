-- Apps that send reports, and the keys that their SDKs send them with.

create table apps (
  organisation_id uuid not null references organisations on delete cascade,
  id uuid not null unique default uuidv7(),
  number integer not null unique default 0 check (number > 0),
  name text not null,
  slug text not null,
  enabled boolean not null default true,
  replies boolean not null default false,
  tells_fixes boolean not null default false,
  allowed_origins text[],
  settings jsonb not null default '{}',
  created_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (organisation_id, id)
);
create unique index on apps (organisation_id, slug) where deleted_at is null;
create index on apps (deleted_at) where deleted_at is not null;
comment on table apps is 'An application whose SDK sends reports.';
comment on column apps.number is 'The last part of the app''s DSN. It is random, so that an app keeps it when it moves to another installation or cell.';
comment on column apps.enabled is 'What GET /api/config tells the SDK: whether it should send at all.';
comment on column apps.tells_fixes is 'Whether a reporter is told, where the app has replies, which version has the agent''s fix of their report.';
comment on column apps.allowed_origins is 'Web origins whose pages may read an answer; null for any.';
comment on column apps.settings is 'Free-form settings of the app''s own, handed to its SDK.';
comment on column apps.deleted_at is 'When it was deleted: nobody sees it any more, and its rows are deleted in steps, this one last.';

-- Chooses a number, another one if it is taken.
create function choose_app_number() returns trigger language plpgsql as $$
begin
  while new.number = 0 or exists (select from apps where number = new.number and id <> new.id) loop
    new.number := 1 + floor(random() * 2147483647)::integer;
  end loop;
  return new;
end
$$;
create trigger choose_app_number before insert on apps for each row execute function choose_app_number();

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
comment on table sdk_keys is 'An SDK key. It is public, so it is kept as it is.';
