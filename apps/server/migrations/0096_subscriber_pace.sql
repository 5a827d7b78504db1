-- How fast, and in which order, a subscriber is told.

alter table subscribers
  add column per_minute integer check (per_minute between 1 and 6000),
  add column ordered boolean not null default false,
  add column slot_at timestamptz;
comment on column subscribers.per_minute is 'Most attempts in a minute, spread over it by the second; null for as many as it bears.';
comment on column subscribers.ordered is 'Whether it is told of one event after the other, in the order in which they were accepted: one that fails holds up those behind it.';
comment on column subscribers.slot_at is 'When the attempts that were made so far are all paid for, at the rate of per_minute.';
