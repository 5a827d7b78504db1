-- find_due_hooks: written by npm run generate.
-- returns organisation_id uuid, id uuid, enabled boolean

select organisation_id, hook_id as id, enabled
    from (select organisation_id, hook_id from hook_deliveries
      where state in ('waiting', 'failed') and claimed_by is null and due_at <= now() order by due_at limit 1000) due
    join organisation_hooks hooks using (organisation_id)
    where hooks.id = due.hook_id and (paused_until is null or paused_until <= now() or not enabled)
    group by organisation_id, hook_id, enabled;
