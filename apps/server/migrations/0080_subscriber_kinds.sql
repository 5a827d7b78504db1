-- Which kinds of subscribers there are is known to the contract; here only how a board differs from all others.

alter table subscribers drop constraint subscribers_kind_check;
