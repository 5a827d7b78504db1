-- Where a problem is split, each card goes with the reports that it was made of.

alter table report_cards add column hash uuid;
comment on column report_cards.hash is 'By what the report that a problem''s card was made of is recognised; null of cards from before it was kept, which stay where a problem is split.';
