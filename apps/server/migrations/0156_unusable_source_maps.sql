alter table source_maps add column unusable_reason text;
comment on column source_maps.unusable_reason is 'Why no report is mapped with it any more; null while it is used.';
create index source_maps_usable on source_maps (app_id) where not replaced and unusable_reason is null;
