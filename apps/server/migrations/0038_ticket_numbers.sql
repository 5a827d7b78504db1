-- Short numbers of tickets, given after they were filed.

create table ticket_numbers (
  organisation_id uuid not null,
  project_id uuid not null,
  number integer not null,
  ticket_id uuid not null,
  primary key (organisation_id, project_id, number),
  unique (organisation_id, ticket_id),
  foreign key (organisation_id, project_id) references projects on delete cascade
);
comment on table ticket_numbers is 'The number of each ticket in its project, from 1. The row of a deleted ticket stays, so that no number is given twice.';
