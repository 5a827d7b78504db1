-- Webhooks of an organisation can choose what happens to tickets. A change is noted in its own transaction by triggers, so
-- that no way of changing a ticket can forget it; a worker makes the messages of it.

alter table organisation_hooks
  add column ticket_types text[] not null default '{}' check (ticket_types <@
    '{ticket.created,ticket.changed,ticket.moved,ticket.commented,ticket.done,ticket.archived}'),
  add column project_ids uuid[],
  add column enabled boolean not null default true,
  add column disabled_at timestamptz check ((disabled_at is null) = enabled),
  add column disabled_reason text,
  add column failing_since timestamptz,
  add column consecutive_failures integer not null default 0,
  add column paused_until timestamptz;
create index organisation_hooks_of_tickets on organisation_hooks (organisation_id) where ticket_types <> '{}' and enabled;
comment on column organisation_hooks.ticket_types is 'What of tickets it is told; empty for nothing.';
comment on column organisation_hooks.project_ids is 'Of which projects'' tickets; null for all.';
comment on column organisation_hooks.disabled_reason is 'Why Lodge disabled it; null where a person did, or nobody.';
comment on column organisation_hooks.failing_since is 'The first failure since the last success; null where the last attempt succeeded.';
comment on column organisation_hooks.paused_until is 'No delivery is attempted before.';

create table ticket_changes (
  organisation_id uuid not null,
  id uuid not null default uuidv7(),
  ticket_id uuid not null,
  transaction_id xid8 not null default pg_current_xact_id(),
  kind text not null,
  actor_kind text,
  actor_name text,
  comment_id uuid,
  changes jsonb,
  created_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, ticket_id) references tickets on delete cascade
);
create index on ticket_changes (organisation_id, ticket_id);
comment on table ticket_changes is 'Changes of tickets that webhooks are to be told of. A worker deletes them within seconds.';
comment on column ticket_changes.transaction_id is 'The transaction of the change: what was changed and who did it are rows of their own.';
comment on column ticket_changes.changes is 'Fields of the API with the values before and after, as {from, to}.';

create table hook_deliveries (
  organisation_id uuid not null,
  id uuid not null default uuidv7(),
  hook_id uuid not null,
  ticket_id uuid not null,
  type text not null,
  body text not null,
  state text not null default 'waiting' check (state in ('waiting', 'failed', 'delivered', 'dead')),
  due_at timestamptz not null default now(),
  claimed_by text,
  attempt_count integer not null default 0,
  retry_count integer not null default 0,
  created_at timestamptz not null default now(),
  settled_at timestamptz check ((settled_at is null) = (state in ('waiting', 'failed'))),
  primary key (organisation_id, id),
  foreign key (organisation_id, hook_id) references organisation_hooks on delete cascade,
  foreign key (organisation_id, ticket_id) references tickets on delete cascade
) with (fillfactor = 80);
create index on hook_deliveries (organisation_id, hook_id, id);
create index on hook_deliveries (organisation_id, ticket_id);
create index hook_deliveries_due on hook_deliveries (due_at) where state in ('waiting', 'failed');
create index hook_deliveries_settled on hook_deliveries (settled_at) where settled_at is not null;
comment on table hook_deliveries is 'One change of a ticket to one webhook of its organisation.';
comment on column hook_deliveries.claimed_by is 'The worker that attempts it at the moment.';

create table hook_attempts (
  organisation_id uuid not null,
  delivery_id uuid not null,
  number integer not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  status smallint,
  response text,
  reason text,
  primary key (organisation_id, delivery_id, number),
  foreign key (organisation_id, delivery_id) references hook_deliveries on delete cascade
);
comment on table hook_attempts is 'One attempt at a delivery of a webhook of an organisation.';
comment on column hook_attempts.reason is 'Why it failed; null where it succeeded.';

-- Rows that are copied from elsewhere (lodged import, lodged cell move) tell nobody.
create function has_ticket_hooks(organisation uuid) returns boolean stable language sql as $$
  select exists (select from organisation_hooks where organisation_id = organisation and ticket_types <> '{}' and enabled)
    and current_setting('lodge.copying', true) is distinct from 'on'
$$;

create function note_ticket_activity() returns trigger language plpgsql as $$
begin
  insert into ticket_changes (organisation_id, ticket_id, kind, actor_kind, actor_name, comment_id, created_at)
  select added.organisation_id, added.ticket_id, added.kind,
    case when added.details ? 'appId' then 'app' when added.actor_token_id is not null then 'token'
      when added.actor_user_id is null then 'lodge' when added.actor_user_id = organisations.agent_user_id then 'agent'
      else 'person' end,
    added.actor_name, (added.details ->> 'commentId')::uuid, added.created_at
  from added join organisations on organisations.id = added.organisation_id
  where has_ticket_hooks(added.organisation_id) and added.kind in ('ticket.filed', 'ticket.changed', 'ticket.moved',
    'ticket.commented', 'ticket.archived', 'ticket.restored');
  return null;
end $$;
create trigger note_ticket_activity after insert on ticket_activities referencing new table as added
  for each statement execute function note_ticket_activity();

create function note_ticket_change() returns trigger language plpgsql as $$
begin
  if has_ticket_hooks(new.organisation_id) then
    insert into ticket_changes (organisation_id, ticket_id, kind, changes, created_at)
    select new.organisation_id, new.id, 'update',
      json_object_agg(field.name, json_build_object('from', field.before, 'to', field.after)), now()
    from (values
      ('title', to_jsonb(old.title), to_jsonb(new.title)),
      ('description', to_jsonb(old.description), to_jsonb(new.description)),
      ('priority', to_jsonb(old.priority), to_jsonb(new.priority)),
      ('assigneeUserId', to_jsonb(old.assignee_user_id), to_jsonb(new.assignee_user_id)),
      ('agentRepositoryId', to_jsonb(old.agent_repository_id), to_jsonb(new.agent_repository_id)),
      ('startsAt', to_jsonb(old.starts_at), to_jsonb(new.starts_at)),
      ('dueAt', to_jsonb(old.due_at), to_jsonb(new.due_at)),
      ('labels', to_jsonb(old.labels), to_jsonb(new.labels)),
      ('boardId', (select to_jsonb(board_id) from columns where organisation_id = old.organisation_id and id = old.column_id),
        (select to_jsonb(board_id) from columns where organisation_id = new.organisation_id and id = new.column_id)),
      ('columnId', to_jsonb(old.column_id), to_jsonb(new.column_id)),
      ('doneAt', to_jsonb(old.done_at), to_jsonb(new.done_at)),
      ('archivedAt', to_jsonb(old.archived_at), to_jsonb(new.archived_at))
    ) field (name, before, after)
    where field.before is distinct from field.after;
  end if;
  return null;
end $$;
create trigger note_ticket_change after update of title, description, priority, assignee_user_id, agent_repository_id,
  starts_at, due_at, labels, column_id, done_at, archived_at on tickets for each row
  when ((old.title, old.description, old.priority, old.assignee_user_id, old.agent_repository_id, old.starts_at, old.due_at,
    old.labels, old.column_id, old.done_at, old.archived_at) is distinct from (new.title, new.description, new.priority,
    new.assignee_user_id, new.agent_repository_id, new.starts_at, new.due_at, new.labels, new.column_id, new.done_at,
    new.archived_at))
  execute function note_ticket_change();
