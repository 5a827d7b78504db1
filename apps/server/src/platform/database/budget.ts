const share = (total: number, processes: number, min: number, max: number) =>
  Math.max(min, Math.min(max, Math.floor(total / processes)));

/**
 * The connection limits of each process of a machine, by purpose; docs/self-hosting.md lists the totals. The purposes
 * do not share connections, so that a slow page or job cannot block the APIs.
 */
export const connectionsOf = (processes: number) => ({
  doors: share(40, processes, 2, 16),
  dashboard: share(16, processes, 2, 6),
  /** One of them listens for new jobs. */
  worker: share(16, processes, 2, 6),
  /** For long, infrequent maintenance. */
  upkeep: 1,
});

/** The `application_name` of sessions in `pg_stat_activity` and metrics; includes the cell unless it is home. */
export const sessionName = (room: keyof typeof statementTimeoutMs, cell?: string): string =>
  cell === undefined ? `lodged ${room}` : `lodged ${room} of ${cell}`;

/** The statement timeout by kind of work, in milliseconds. Above it, the statement is rolled back with a 503. */
export const statementTimeoutMs = { doors: 5_000, dashboard: 7_000, worker: 7_000, upkeep: 600_000 };
