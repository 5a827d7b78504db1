-- Source maps, which turn the stacks of minified bundles into those of their sources.

create table source_maps (
  organisation_id uuid not null,
  app_id uuid not null,
  id uuid not null default uuidv7(),
  release text,
  file text not null,
  debug_id uuid,
  byte_length integer not null,
  store_key text not null unique,
  replaced boolean not null default false,
  unusable_reason text,
  created_at timestamptz not null,
  used_at timestamptz not null,
  primary key (app_id, id),
  foreign key (organisation_id, app_id) references apps on delete cascade
);
create unique index on source_maps (app_id, debug_id) where debug_id is not null and not replaced;
create unique index on source_maps (app_id, file, release) nulls not distinct where debug_id is null and not replaced;
create index on source_maps (app_id, file, release, id) where not replaced;
create index source_maps_usable on source_maps (app_id) where not replaced and unusable_reason is null;
create index on source_maps (used_at);
comment on table source_maps is 'The source map of a bundled file, as stored. Its row is deleted after its bytes.';
comment on column source_maps.release is 'The release of the app; null where none was named.';
comment on column source_maps.file is 'The path of the bundled file below the folder that is served.';
comment on column source_maps.byte_length is 'Of what is stored: the map without the text of its sources.';
comment on column source_maps.replaced is 'Whether another map has taken its place, or it is one too many: the next sweep deletes it.';
comment on column source_maps.unusable_reason is 'Why no report is mapped with it any more; null while it is used.';
comment on column source_maps.used_at is 'When it was uploaded or last needed by a report, to the day.';
