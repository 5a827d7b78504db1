-- find_replay: written by npm run generate.
-- $1 replayId uuid
-- returns from timestamptz, until timestamptz

select from_at as "from", until_at as until from replays
    where id = $1::uuid and state = 'running';
