-- The numbers of the cards that a search finds are read from the index alone: among a million tickets each lies on a page of its own.

alter table ticket_numbers drop constraint ticket_numbers_organisation_id_ticket_id_key;
alter table ticket_numbers add constraint ticket_numbers_organisation_id_ticket_id_key
  unique (organisation_id, ticket_id) include (project_id, number);
