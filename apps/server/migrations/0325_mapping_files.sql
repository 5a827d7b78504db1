-- Mapping files of ProGuard and R8, which are kept and used like source maps.

alter table source_maps add column format text not null default 'source_map' check (format in ('source_map', 'proguard'));
create index source_maps_proguard on source_maps (app_id) where format = 'proguard' and not replaced and unusable_reason is null;
comment on column source_maps.format is 'What it is: a source map of JavaScript, or a mapping file of ProGuard or R8.';
comment on column source_maps.debug_id is 'The debug id of a source map, or the UUID of a mapping file.';
