-- While the secret of a webhook of the organisation is rotated, the one before signs beside it, as those of subscribers do.

alter table organisation_hooks
  add column previous_secret text,
  add column previous_ends_at timestamptz,
  add check ((previous_secret is null) = (previous_ends_at is null));
comment on column organisation_hooks.previous_secret is 'The secret before, which signs as well until previous_ends_at.';
