/** Begins a transaction that PostgreSQL does not end for being idle, however long a busy machine takes meanwhile. */
export const begin = "begin; set local idle_in_transaction_session_timeout = 0";
