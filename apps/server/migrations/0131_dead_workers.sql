alter table workers add column died_at timestamptz;
comment on column workers.died_at is 'When its lock was first found free; null while it lives. What it had sent to the database may be carried out a little later.';
