-- Admins recolor, rename, merge and delete labels. Tickets name their labels themselves, so that filing one costs no lookup:
-- a label that becomes another one does so at once for whoever reads, by label_changes, and on the tickets in the background.
alter table labels add column color text
  check (color in ('gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink'));
comment on column labels.color is 'The chosen color; null for the one that depends on the name.';

create table label_changes (
  organisation_id uuid not null references organisations on delete cascade,
  name text not null,
  becomes text check (becomes <> name),
  created_at timestamptz not null default now(),
  primary key (organisation_id, name)
);
comment on table label_changes is 'Labels that tickets may still name but nobody is shown any more. A worker rewrites the tickets, then deletes the row.';
comment on column label_changes.becomes is 'The label that replaces it; null where it is deleted.';

create function shown_labels(organisation uuid, labels text[]) returns text[] stable language sql as $$
  select coalesce(array_agg(name order by place), '{}') from (
    select case when changed.name is null then label.name else changed.becomes end as name, min(label.place) as place
    from unnest(labels) with ordinality label (name, place)
    left join label_changes changed on changed.organisation_id = organisation and changed.name = label.name
    where changed.name is null or changed.becomes is not null
    group by 1) shown
$$;
