/** Begins a transaction that PostgreSQL does not end as idle, however slow the machine is. */
export const begin = "begin; set local idle_in_transaction_session_timeout = 0";
