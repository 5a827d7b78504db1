-- keep_release_users: written by npm run generate.
-- $1 releases json
-- returns nothing

insert into app_releases (app_id, version, users, user_count)
    select app_id, version, decode(users, 'hex'), user_count
    from json_to_recordset($1::json) as release(app_id uuid, version text, users text, user_count integer)
    where exists (select from app_facets known where known.app_id = release.app_id and facet = 'version:' || version)
    order by app_id, version
    on conflict (app_id, version) do update set users = excluded.users, user_count = excluded.user_count;
