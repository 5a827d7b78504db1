-- Where the request that brought an event is in its trace, so that its deliveries are parts of the same one. Written only
-- where traces are kept.
alter table events add column traceparent text;
