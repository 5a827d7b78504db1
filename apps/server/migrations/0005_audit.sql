-- What changed for an organisation as a whole.

create table audit_entries (
  organisation_id uuid not null references organisations on delete cascade,
  id uuid not null default uuidv7(),
  kind text not null,
  details jsonb not null,
  at timestamptz not null,
  primary key (organisation_id, id)
);
create index on audit_entries (organisation_id, at);
comment on table audit_entries is 'The audit log of an organisation: what changed, when it took effect, and the numbers that led to it.';
