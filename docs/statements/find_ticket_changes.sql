-- find_ticket_changes: written by npm run generate.
-- returns found boolean

select exists (select from ticket_changes) as found;
