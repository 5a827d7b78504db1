-- A receiver that bears a thousand a second can be given a rate as well.
alter table subscribers drop constraint subscribers_per_minute_check,
  add check (per_minute between 1 and 600000);
