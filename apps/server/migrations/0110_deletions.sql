-- Apps and subscribers that people delete are gone for everybody at once; what they have is deleted afterwards, in steps.

alter table apps add column deleted_at timestamptz;
alter table subscribers add column deleted_at timestamptz;
comment on column apps.deleted_at is 'When it was deleted: nobody sees it any more, and what belongs to it is deleted in steps, the row last.';
comment on column subscribers.deleted_at is 'When it was deleted: nobody sees it any more, and its deliveries are deleted in steps, then the row.';
create index on apps (deleted_at) where deleted_at is not null;
create index on subscribers (deleted_at) where deleted_at is not null;

-- Another one may take the place of one that is on its way out.
alter table apps drop constraint apps_organisation_id_slug_key;
create unique index on apps (organisation_id, slug) where deleted_at is null;
alter table subscribers
  drop constraint subscribers_app_id_kind_url_key,
  drop constraint subscribers_app_id_board_id_key;
create unique index on subscribers (app_id, kind, url) where deleted_at is null;
create unique index on subscribers (app_id, board_id) where deleted_at is null;

-- Which cards tell of an event, once the delivery that filed them is gone.
create index on tickets (app_id, event_id) where event_id is not null;
