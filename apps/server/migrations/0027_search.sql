-- Finds a part of a long description without reading every one. Short ones are read: an index of them would cost each
-- ticket half of what filing it costs.

create extension if not exists pg_trgm;
create index tickets_long_description on tickets using gin (description gin_trgm_ops) where octet_length(description) > 2000;
