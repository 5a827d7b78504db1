-- The users that a problem affects: each counted once, up to 10,000; of more, a sample is kept, and the count is an estimate.

create table problem_users (
  app_id uuid not null,
  hash uuid not null,
  person uuid not null,
  level smallint not null,
  primary key (app_id, hash, person),
  foreign key (app_id, hash) references problem_hashes on delete cascade
);
comment on table problem_users is 'The users that a hash has affected, each once: all of them, or, above 10,000, those whose level is at least the user_level of the hash.';
comment on column problem_users.person is 'The first 16 bytes of a SHA-256 of the app and the user''s id, else e-mail address, else install.';
comment on column problem_users.level is 'The number of zeros with which the first 32 bits of person begin. Half of all users have at least 1, a quarter at least 2, and so on.';

alter table problem_hashes add column user_level smallint not null default 0, add column users_kept integer not null default 0;
comment on column problem_hashes.user_level is 'Users below this level are not kept: each one that is stands for 2 ^ user_level.';
comment on column problem_hashes.users_kept is 'The number of its rows in problem_users.';
alter table problems add column user_count bigint not null default 0, add column user_level smallint not null default 0;
comment on column problems.user_count is 'The number of affected users; an estimate where user_level is not 0.';
comment on column problems.user_level is 'The highest of its hashes.';

insert into problem_users (app_id, hash, person, level)
select app_id, hash, person, coalesce(nullif(position('1' in ('x' || left(person::text, 8))::bit(32)::text), 0), 33) - 1
from (
  select distinct app_id, hash, encode(substr(sha256(convert_to(app_id || case
    when user_id <> '' then ' id ' || user_id
    when user_email <> '' then ' email ' || lower(user_email)
    else ' install ' || install end, 'UTF8')), 1, 16), 'hex')::uuid as person
  from event_summaries where hash is not null and (user_id <> '' or user_email <> '' or install is not null)
) seen;
update problem_hashes set users_kept = kept.count
from (select app_id, hash, count(*) as count from problem_users group by app_id, hash) kept
where problem_hashes.app_id = kept.app_id and problem_hashes.hash = kept.hash;
update problems set user_count = seen.count
from (
  select h.app_id, h.problem_id, count(distinct u.person) as count
  from problem_hashes h join problem_users u using (app_id, hash) group by h.app_id, h.problem_id
) seen
where problems.app_id = seen.app_id and problems.id = seen.problem_id;
