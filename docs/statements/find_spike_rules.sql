-- find_spike_rules: written by npm run generate.
-- $1 appIds uuid[]
-- returns app_id uuid, rule_id uuid, events integer, minutes integer

select id as app_id, id as rule_id, spike_events as events, spike_minutes as minutes
    from apps where id = any($1::uuid[]) and spike_events is not null
    union all
    select app_id, id, (filter -> 'spike' ->> 'events')::integer, (filter -> 'spike' ->> 'minutes')::integer
    from subscribers where app_id = any($1::uuid[]) and filter is not null and enabled and filter ? 'spike';
