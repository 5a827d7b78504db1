create table problem_numbers (
  organisation_id uuid not null references organisations on delete cascade,
  number integer not null,
  problem_id uuid not null,
  primary key (organisation_id, number),
  unique (organisation_id, problem_id)
);
comment on table problem_numbers is 'The number of each problem that the API was asked for, from 1.';

create index problems_first_seen on problems (app_id, first_seen_at, id);
