-- The task of subscribers/wake-subscribers.ts: statements can add jobs only for a task that the queue knows.
insert into graphile_worker._private_tasks (identifier) values ('wake_subscribers') on conflict do nothing;
