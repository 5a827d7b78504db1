const share = (total: number, processes: number, min: number, max: number) =>
  Math.max(min, Math.min(max, Math.floor(total / processes)));

/**
 * The number of connections by purpose that each process of a machine may have; docs/self-hosting.md says how many
 * that makes. None of them can take those of another: neither a slow page nor a job makes a door wait.
 */
export const connectionsOf = (processes: number) => ({
  doors: share(40, processes, 2, 16),
  dashboard: share(16, processes, 2, 6),
  /** One of them hears of new jobs. */
  worker: share(16, processes, 2, 6),
  /** For what runs now and then, and long. */
  upkeep: 1,
});

/** The `application_name` of sessions in `pg_stat_activity`, and in metrics; those of a cell beside home name it. */
export const sessionName = (room: keyof typeof statementTimeoutMs, cell?: string): string =>
  cell === undefined ? `lodged ${room}` : `lodged ${room} of ${cell}`;

/**
 * The time limit of a statement by kind of work, in milliseconds; then it is rolled back, and its request answered
 * with 503.
 */
export const statementTimeoutMs = { doors: 5_000, dashboard: 7_000, worker: 7_000, upkeep: 600_000 };
