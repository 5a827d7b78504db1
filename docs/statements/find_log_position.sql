-- find_log_position: written by npm run generate.
-- returns position text

select pg_current_wal_flush_lsn()::text as position;
