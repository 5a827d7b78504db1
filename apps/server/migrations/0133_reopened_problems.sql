-- For whoever looks for cards that a reopened problem has yet to bring back: few problems are ever reopened.
create index on problems (reopened_at) where reopened_at is not null;
