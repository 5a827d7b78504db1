-- Which day it is reaches what counts an install with the row that it would insert: a subquery in DO UPDATE is refused by
-- distributed engines (docs/decisions/cells.md).
alter table allowance_months add column counted_on date;
comment on column allowance_months.counted_on is 'In a month that decides, the latest day on which an install was counted here; null where none was.';
