-- Views that a member shares with the organisation, and the boards that a member wants to find first.
alter table board_views add column shared boolean not null default false;
comment on table board_views is 'A filter of a board that a member has saved. Only this member sees it, unless it is shared.';
create index board_views_shared on board_views (organisation_id) where shared;

create table board_favourites (
  organisation_id uuid not null,
  user_id uuid not null,
  board_id uuid not null,
  primary key (organisation_id, user_id, board_id),
  foreign key (organisation_id, user_id) references members on delete cascade,
  foreign key (organisation_id, board_id) references boards on delete cascade
);
create index on board_favourites (board_id);
comment on table board_favourites is 'A board that a member finds first in the sidebar.';
