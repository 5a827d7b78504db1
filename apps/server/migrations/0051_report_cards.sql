-- Cards that are about a problem, or about a single report that somebody made a card of.

create table report_cards (
  organisation_id uuid not null,
  app_id uuid not null,
  id uuid not null default uuidv7(),
  problem_id uuid,
  event_id uuid,
  subscriber_id uuid,
  delivery_id uuid,
  ticket_id uuid,
  column_id uuid,
  returned_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (app_id, id),
  check ((problem_id is null) <> (event_id is null)),
  foreign key (organisation_id, app_id) references apps on delete cascade,
  foreign key (app_id, problem_id) references problems on delete cascade,
  foreign key (app_id, event_id) references events on delete cascade,
  foreign key (organisation_id, ticket_id) references tickets on delete cascade
);
create unique index on report_cards (app_id, problem_id, subscriber_id) where subscriber_id is not null;
create index on report_cards (app_id, problem_id) where problem_id is not null;
create index on report_cards (app_id, event_id) where event_id is not null;
create index on report_cards (organisation_id, ticket_id) where ticket_id is not null;
comment on table report_cards is 'A card of a problem or of an event: of a problem one for each board that is told of its app, and those that people have made.';
comment on column report_cards.delivery_id is 'The delivery that files it; while it has no ticket, another may only where that one has come to its end.';
comment on column report_cards.column_id is 'Where it was filed, and comes back to.';
comment on column report_cards.returned_at is 'Up to when the problem''s coming back was seen to.';
