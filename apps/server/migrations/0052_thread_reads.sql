-- How far members have read what reporters write.

create table thread_reads (
  app_id uuid not null,
  thread_id uuid not null,
  user_id uuid not null references users on delete cascade,
  number integer not null,
  primary key (app_id, thread_id, user_id),
  foreign key (app_id, thread_id) references threads on delete cascade
);
create index on thread_reads (user_id);
comment on table thread_reads is 'The number of the last message of a thread that a member has read. What the team has answered since counts as read by everybody.';

create index threads_awaiting on threads (organisation_id, last_message_at desc, id desc)
  where message_count > team_number and closed_at is null;
