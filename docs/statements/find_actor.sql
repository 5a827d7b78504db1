-- find_actor: written by npm run generate.
-- $1 token bytea
-- $2 now timestamptz
-- returns session_id uuid, user_id uuid, name text, email text, provider_organisation_id uuid or null,
--   organisation_id uuid or null, role text or null, needs_provider boolean, needs_second_factor boolean

select sessions.id as session_id, users.id as user_id, users.name, users.email,
    sessions.provider_organisation_id, members.organisation_id, members.role,
    coalesce(sessions.provider_organisation_id is null and members.role <> 'owner' and exists (
      select from identity_providers where organisation_id = members.organisation_id and is_required), false) as needs_provider, coalesce(requires_second_factor and sessions.provider_organisation_id is null
      and not (exists (select from totp_factors where totp_factors.user_id = sessions.user_id and confirmed_at is not null)
      or exists (select from passkeys where passkeys.user_id = sessions.user_id)), false) as needs_second_factor
  from sessions join users on users.id = sessions.user_id
  left join members on members.organisation_id = sessions.active_organisation_id and members.user_id = sessions.user_id
  left join organisations on organisations.id = members.organisation_id
  where sessions.token_sha256 = $1::bytea and sessions.expires_at > $2::timestamptz;
