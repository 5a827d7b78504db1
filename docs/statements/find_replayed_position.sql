-- find_replayed_position: written by npm run generate.
-- returns replayed text or null

select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() end::text as replayed;
