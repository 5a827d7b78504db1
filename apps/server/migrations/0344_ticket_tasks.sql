-- The task list items of a description ("- [ ] item"), counted when it is written, so that boards need not read it. A
-- description without a box costs one look. What stands in a code block is no task.
alter table tickets
  add column task_count smallint not null generated always as (case
    when description ~ '\[[ xX]\]' then regexp_count(
      regexp_replace(description, '^ {0,3}?```.*?(^ {0,3}?```|\Z)', '', 1, 0, 'w'),
      '^[ \t>]*([-*+]|\d{1,9}[.)])[ \t]+\[[ xX]\][ \t]+\S', 1, 'n')
    else 0 end) stored,
  add column done_task_count smallint not null generated always as (case
    when description ~ '\[[xX]\]' then regexp_count(
      regexp_replace(description, '^ {0,3}?```.*?(^ {0,3}?```|\Z)', '', 1, 0, 'w'),
      '^[ \t>]*([-*+]|\d{1,9}[.)])[ \t]+\[[xX]\][ \t]+\S', 1, 'n')
    else 0 end) stored;
comment on column tickets.task_count is 'The number of task list items in the description.';
comment on column tickets.done_task_count is 'How many of them are ticked.';
