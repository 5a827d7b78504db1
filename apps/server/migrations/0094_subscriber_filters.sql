-- Which events a subscriber is told of.

alter table subscribers add column filter jsonb check (jsonb_typeof(filter) = 'object');
create index subscribers_filtered on subscribers (app_id) where filter is not null;
comment on column subscribers.filter is 'SubscriberFilter of the contract; null for all events.';

alter table events add column filtered json;
comment on column events.filtered is 'Subscribers that were enabled when it was accepted and whose filter left it out, as a list of {subscriberId, by}; null for none.';

create table told_hashes (
  app_id uuid not null references apps (id) on delete cascade,
  hash uuid not null,
  told_at timestamptz not null default now(),
  primary key (app_id, hash)
);
create index on told_hashes (told_at);
comment on table told_hashes is 'What reports were recognised by that came first, where a subscriber wants the first of each problem only; kept until problem_hashes has them.';
