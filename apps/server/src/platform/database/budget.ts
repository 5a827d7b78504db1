const share = (total: number, processes: number, min: number, max: number) =>
  Math.max(min, Math.min(max, Math.floor(total / processes)));

/**
 * How many connections each of the processes of a machine may have, by what they are for; docs/self-hosting.md says how
 * many that makes. None of them can take those of another: neither a slow page nor a job makes a door wait.
 */
export const connectionsOf = (processes: number) => ({
  doors: share(40, processes, 2, 16),
  dashboard: share(16, processes, 2, 6),
  /** One of them hears of new jobs. */
  worker: share(16, processes, 2, 6),
  /** For what runs now and then, and long. */
  upkeep: 1,
});

/** Who the sessions of a kind of work are in `pg_stat_activity`, and in metrics; those of a cell beside home name it. */
export const sessionName = (room: keyof typeof statementTimeoutMs, cell?: string): string =>
  cell === undefined ? `lodged ${room}` : `lodged ${room} of ${cell}`;

/** How long a statement of each may take, in milliseconds; then it is rolled back, and its request answered with 503. */
export const statementTimeoutMs = { doors: 5_000, dashboard: 7_000, worker: 7_000, upkeep: 600_000 };
