-- Nothing that somebody could sign in, post or sign with can be read from the database alone. The server encrypts what is
-- there already when it starts.

alter table sessions rename column token to token_sha256;
alter table sessions alter column token_sha256 type bytea using sha256(convert_to(token_sha256, 'UTF8'));
comment on column sessions.token_sha256 is 'The cookie has the token.';

alter table subscribers add column sealed_url text, add column url_sha256 bytea;
update subscribers set url_sha256 = sha256(convert_to(url, 'UTF8')) where url is not null;
drop index subscribers_app_id_kind_url_idx;
create unique index on subscribers (app_id, kind, url_sha256) where deleted_at is null;
comment on column subscribers.url is 'Where messages go, as much of it as members may read.';
comment on column subscribers.sealed_url is 'The whole address, encrypted; null where url is the whole.';
comment on column subscribers.url_sha256 is 'Of the whole address: an app tells each once.';
comment on column signing_secrets.secret is 'Encrypted.';
comment on table signing_secrets is 'What a webhook''s messages are signed with, each with all that have not expired; or the token of GitHub issues.';

alter table organisation_hooks add column sealed_url text;
comment on column organisation_hooks.url is 'Where messages go, without a query.';
comment on column organisation_hooks.sealed_url is 'The whole address, encrypted; null where url is the whole.';
comment on column organisation_hooks.secret is 'Encrypted.';
comment on column organisation_hooks.previous_secret is 'The secret before, encrypted, which signs as well until previous_ends_at.';
comment on column notice_choices.slack_url is 'The incoming webhook that a message goes to, encrypted.';

-- What was encrypted before says that it is in the earlier form, until the server has encrypted it anew.
alter table totp_factors alter column sealed_secret type text
  using 'sealed.0..' || translate(encode(sealed_secret, 'base64'), E'+/=\n', '-_');
alter table identity_providers alter column sealed_client_secret type text
  using 'sealed.0..' || translate(encode(sealed_client_secret, 'base64'), E'+/=\n', '-_');
alter table cells alter column sealed_url type text
  using 'sealed.0..' || translate(encode(sealed_url, 'base64'), E'+/=\n', '-_');
