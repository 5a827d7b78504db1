-- Sentry's protocol: the number that stands in an app's DSN, and events as Sentry's clients sent them.

alter table apps add column number integer not null default 0;
comment on column apps.number is 'The last part of the app''s DSN. It is random, so that an app keeps it when it moves to another installation or cell.';

do $$
begin
  loop
    update apps set number = 1 + floor(random() * 2147483647)::integer
    where number = 0 or number in (select number from apps group by number having count(*) > 1);
    exit when not found;
  end loop;
end
$$;
alter table apps add check (number > 0), add unique (number);

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

alter table events add column original bytea;
comment on column events.original is 'The event as a client of Sentry''s sent it, byte for byte, decompressed; null for reports of Lodge''s own SDKs.';

create table unstored_items (
  app_id uuid not null references apps (id) on delete cascade,
  day date not null,
  type text not null,
  count bigint not null,
  last_at timestamptz not null,
  primary key (app_id, day, type)
);
comment on table unstored_items is 'The number of items of Sentry''s envelopes that were accepted but not stored, by app, day (UTC) and type.';
