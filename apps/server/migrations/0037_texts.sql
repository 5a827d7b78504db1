-- What tickets said before, and comments that were changed.

create table ticket_texts (
  organisation_id uuid not null,
  ticket_id uuid not null,
  activity_id uuid not null,
  field text not null check (field in ('title', 'description')),
  before text not null,
  after text not null,
  primary key (organisation_id, ticket_id, activity_id, field),
  foreign key (organisation_id, ticket_id, activity_id) references ticket_activities on delete cascade
);
comment on table ticket_texts is 'What a change of a title or description made of what. Of each ticket the latest 40 are kept.';

alter table comments add column edited_at timestamptz;
comment on column comments.edited_at is 'When its author last changed it; null where he has not.';
