-- Source lines around the frames of mapped stacks, of apps that allow it.

alter table apps add column source_lines boolean not null default false;
comment on column apps.source_lines is 'Whether the text of the app''s own sources is kept with its source maps, and shown around frames.';
alter table source_maps add column has_sources boolean not null default false;
comment on column source_maps.has_sources is 'Whether the text of its sources is kept with it.';
create index on source_maps (app_id) where has_sources;
comment on column source_maps.byte_length is 'Of what is stored: the map, and the text of its sources where it is kept.';
