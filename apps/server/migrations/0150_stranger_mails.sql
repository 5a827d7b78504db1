-- What an organisation has had mailed to addresses that nobody has verified.

create table stranger_mails (
  organisation_id uuid not null references organisations on delete cascade,
  day date not null,
  address text not null,
  count integer not null,
  primary key (organisation_id, day, address)
);
comment on table stranger_mails is 'E-mails of a day (UTC) to addresses that are not verified. Days that are over go with the first e-mail of a later one.';
comment on column stranger_mails.address is 'Where they went, in small letters; empty for all of the organisation together.';
