-- resolve_problems: written by npm run generate.
-- $1 requests json
-- each request: n integer, organisation_id uuid, token_id uuid or null, reaches_all boolean, project_id uuid or null,
--   board_id uuid or null, column_id uuid or null, author_name text, problem text, created_at timestamptz,
--   idempotency_key text or null, request_sha256 bytea or null, base_url text
-- returns n integer, refusal text or null, id uuid or null, from_column_id uuid or null, board_id uuid or null,
--   column_id uuid or null, is_archived boolean or null, body text

with placed as materialized (
    select request.*, reached.projects, reached.project_id as found_project_id,
      board.id as found_board_id, board_column.id as found_column_id, board_column.is_done
    from json_to_recordset($1::json) as request(
        n integer,
        organisation_id uuid,
        token_id uuid,
        reaches_all boolean,
        project_id uuid,
        board_id uuid,
        column_id uuid,
        author_name text,
        problem text,
        created_at timestamptz,
        idempotency_key text,
        request_sha256 bytea,
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
      end as refusal
    from placed
  ), resolving as materialized (
    select distinct on (organisation_id, found_project_id, problem) * from checked where refusal is null
    order by organisation_id, found_project_id, problem, n
  ), open as materialized (
    select resolving.n, resolving.token_id, resolving.author_name, resolving.base_url, resolving.found_project_id,
      resolving.created_at as resolved_at, tickets.organisation_id, tickets.id, was.id as from_column_id,
      was.name as from_name, was.board_id, target.id as target_id, target.name as target_name, target.others = 0 as archives
    from resolving
    join tickets on tickets.organisation_id = resolving.organisation_id
      and tickets.problem_project_id = resolving.found_project_id and tickets.problem = resolving.problem
      and tickets.archived_at is null and tickets.done_at is null
    join columns was on was.organisation_id = tickets.organisation_id and was.id = tickets.column_id
    cross join lateral (
      select id, name, count(*) over () - 1 as others from columns
      where columns.organisation_id = was.organisation_id and columns.board_id = was.board_id
      order by is_done desc, position desc, id desc limit 1
    ) target
  ), resolved as (
    update tickets set column_id = target_id, done_at = resolved_at,
      archived_at = case when archives then resolved_at end,
      position = case when column_id = target_id then position else replace(uuidv7()::text, '-', '') end
    from open
    where tickets.organisation_id = open.organisation_id and tickets.id = open.id
      and tickets.archived_at is null and tickets.done_at is null
    returning tickets.id, tickets.title, tickets.created_at, tickets.occurrences, tickets.previous_ticket_id
  ), activity as (
    insert into ticket_activities (organisation_id, ticket_id, kind, actor_token_id, actor_name, details, created_at)
    select organisation_id, open.id, 'ticket.resolved', token_id, author_name,
      case when from_column_id = target_id then '{}'::jsonb
        else jsonb_build_object('from', from_name, 'to', target_name) end, resolved_at
    from open join resolved using (id)
  ), answered as materialized (
    select checked.n, checked.refusal, checked.organisation_id, checked.token_id, checked.idempotency_key,
      checked.request_sha256, checked.created_at, open.id, open.from_column_id, open.board_id, open.target_id, open.archives,
      coalesce(found.body, '{"id":null}') as body, resolved.id is not null as is_resolved
    from checked
    left join open on open.n = checked.n
    left join resolved on resolved.id = open.id
    left join lateral (select (
      select row_to_json(fields)::text from (select
        resolved.id as "id", resolved.title as "title", open.found_project_id as "projectId", open.board_id as "boardId", open.target_id as "columnId",
        to_char(resolved.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt",
        open.base_url || '/tickets/' || resolved.id as "url",
        resolved.occurrences as "occurrence", resolved.previous_ticket_id as "previousId") fields
    ) as body where resolved.id is not null) found on true
  ), remembered as (
    insert into idempotency_records (organisation_id, token_id, key, request_sha256, response_body, response_status,
      created_at)
    select organisation_id, token_id, idempotency_key, request_sha256, body, 200, created_at
    from answered where refusal is null and idempotency_key is not null
    order by organisation_id, token_id, idempotency_key
  )
  select n, refusal, case when is_resolved then id end as id, from_column_id, board_id, target_id as column_id,
    archives as is_archived, body
  from answered;
