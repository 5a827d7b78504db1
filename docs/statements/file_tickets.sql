-- file_tickets: written by npm run generate.
-- $1 requests json
-- each request: n integer, organisation_id uuid, token_id uuid or null, reaches_all boolean, project_id uuid or null,
--   board_id uuid or null, column_id uuid or null, user_id uuid or null, author_name text, app_id uuid or null,
--   event_id uuid or null, delivery_id uuid or null, title text, description text, priority text,
--   assignee_user_id uuid or null, agent_repository_id uuid or null, starts_at date or null, due_at date or null,
--   labels text[] or null, created_at timestamptz, idempotency_key text or null, request_sha256 bytea or null,
--   person_key text or null, base_url text
-- returns n integer, refusal text or null, id uuid or null, board_id uuid or null, column_id uuid or null,
--   body text or null, run_id uuid or null

with placed as materialized (
    select request.*, uuidv7() as id, reached.projects, reached.project_id as found_project_id,
      board.id as found_board_id, board_column.id as found_column_id, board_column.is_done
    from json_to_recordset($1::json) as request(
        n integer,
        organisation_id uuid,
        token_id uuid,
        reaches_all boolean,
        project_id uuid,
        board_id uuid,
        column_id uuid,
        user_id uuid,
        author_name text,
        app_id uuid,
        event_id uuid,
        delivery_id uuid,
        title text,
        description text,
        priority text,
        assignee_user_id uuid,
        agent_repository_id uuid,
        starts_at date,
        due_at date,
        labels text[],
        created_at timestamptz,
        idempotency_key text,
        request_sha256 bytea,
        person_key text,
        base_url text)
    cross join lateral (
      select count(*) as projects, any_value(id) as project_id, any_value(board_id) as board_id from (
        select project_id as id, request.board_id from token_projects
        where not request.reaches_all and organisation_id = request.organisation_id and token_id = request.token_id
          and (request.project_id is null or project_id = request.project_id)
        union all
        select id, request.board_id from projects
        where request.reaches_all and organisation_id = request.organisation_id
          and id between
  coalesce(request.project_id, '00000000-0000-0000-0000-000000000000') and coalesce(request.project_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        union all
        select project_id, boards.id from boards
        where request.token_id is null and organisation_id = request.organisation_id
          and boards.id = coalesce(request.board_id, (
            select columns.board_id from columns
            where organisation_id = request.organisation_id and columns.id = request.column_id))
        limit 2) project
    ) reached
    left join lateral (
      select id from boards
      where organisation_id = request.organisation_id and project_id = reached.project_id
        and (reached.board_id is null or id = reached.board_id)
      order by position, id limit 1
    ) board on true
    left join lateral (
      select id, is_done from columns
      where organisation_id = request.organisation_id and columns.board_id = board.id
        and (request.column_id is null or id = request.column_id)
      order by position, id limit 1
    ) board_column on true
  ), checked as materialized (
    select placed.*,
      case
        when projects > 1 then 'project_required'
        when projects = 0 and token_id is not null then 'project_not_found'
        when found_board_id is null and token_id is not null then 'board_not_found'
        when found_column_id is null then 'column_not_found'
        when placed.starts_at > placed.due_at then 'invalid_date_range'
        when placed.assignee_user_id is not null and not exists (
          select from members
          where members.organisation_id = placed.organisation_id and user_id = placed.assignee_user_id)
          then 'not_a_member'
        when placed.agent_repository_id is not null and not exists (
          select from repositories
          where repositories.organisation_id = placed.organisation_id
            and repositories.id = placed.agent_repository_id and repositories.project_id = found_project_id)
          then 'invalid_agent_repository'
      end as refusal, (
      select row_to_json(fields)::text from (select
        id as "id", title as "title", found_project_id as "projectId", found_board_id as "boardId", found_column_id as "columnId",
        to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt",
        base_url || '/tickets/' || id as "url") fields
    ) as body
    from placed
  ), remembered as (
    insert into idempotency_records (organisation_id, token_id, key, request_sha256, response_body, created_at)
    select organisation_id, token_id, idempotency_key, request_sha256, body, created_at
    from checked where refusal is null and idempotency_key is not null
    order by organisation_id, token_id, idempotency_key
    on conflict do nothing
    returning response_body
  ), ticket as (
    insert into tickets (organisation_id, id, column_id, position, title, description, priority, assignee_user_id,
      agent_repository_id, starts_at, due_at, labels, author_token_id, author_user_id, author_name, app_id, event_id,
      delivery_id, created_at, done_at, idempotency_key)
    select organisation_id, id, found_column_id, replace(id::text, '-', ''), title, description, priority,
      assignee_user_id, agent_repository_id, starts_at, due_at, coalesce(labels, '{}'), token_id, user_id, author_name,
      app_id, event_id, delivery_id, created_at, case when is_done then created_at end, person_key
    from checked
    where refusal is null and (idempotency_key is null or body in (select response_body from remembered))
      and (delivery_id is null or not exists (
        select from tickets
        where tickets.organisation_id = checked.organisation_id and tickets.delivery_id = checked.delivery_id))
    returning id
  ), filed as materialized (
    select checked.* from checked join ticket using (id)
  ), activity as (
    insert into ticket_activities (organisation_id, ticket_id, kind, actor_token_id, actor_user_id, actor_name, details,
      created_at)
    select organisation_id, id, 'ticket.filed', token_id, user_id, author_name, case when event_id is null then '{}'::jsonb
        else jsonb_build_object('origin', 'report', 'appId', app_id, 'eventId', event_id) end, created_at
    from filed
  ), labelled as (
    insert into labels (organisation_id, name, created_at)
    select distinct on (organisation_id, label) organisation_id, label, created_at from checked, unnest(labels) label
    where refusal is null order by organisation_id, label
    on conflict do nothing
  ), assigned as materialized (
    select filed.organisation_id, filed.id, token_id, user_id, author_name, event_id is not null as is_untrusted,
      filed.created_at as at
    from filed join organisations on organisations.id = filed.organisation_id and agent_user_id = assignee_user_id
    where assignee_user_id is not null
  ), run as (
  insert into agent_runs (organisation_id, ticket_id, state, reason, token_id, requested_by_user_id, changed_by_user_id, changed_by_name,
    changed_at, created_at)
  select assigned.organisation_id, assigned.id, case when held.reason is null then 'queued' else 'held' end, held.reason,
    assigned.token_id, assigned.user_id, assigned.user_id, assigned.author_name, assigned.at, assigned.at
  from assigned cross join lateral (
    select case
      when assigned.is_untrusted then 'untrusted_input'
      when 10 <= (
        select count(*) from agent_runs
        where agent_runs.organisation_id = assigned.organisation_id and agent_runs.ticket_id = assigned.id)
        then 'run_limit'
      when (select credits from organisations where organisations.id = assigned.organisation_id) <= (
        select count(*) from agent_runs
        where agent_runs.organisation_id = assigned.organisation_id and agent_runs.state = 'queued')
        then 'no_credits'
    end as reason) held
  on conflict (organisation_id, ticket_id) where state in ('queued', 'held', 'running', 'awaiting_input') do nothing
  returning id, ticket_id
  ), told as (
  insert into notices (organisation_id, user_id, kind, ticket_id, actor_name, created_at)
  select filed.organisation_id, assignee_user_id, 'assigned', filed.id, author_name, filed.created_at
  from filed join organisations on organisations.id = filed.organisation_id and agent_user_id <> assignee_user_id
  where assignee_user_id is not null and assignee_user_id is distinct from user_id
  )
  select checked.n, checked.refusal, checked.id, checked.found_board_id as board_id,
    checked.found_column_id as column_id, filed.body, run.id as run_id
  from checked left join filed using (id) left join run on run.ticket_id = filed.id;
