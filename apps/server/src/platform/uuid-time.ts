/** The allowed difference between the time in an id (database clock) and the time of its row (server clock). */
export const clockSlackMs = 600_000;

/** The first UUIDv7 of a millisecond. */
export const idAt = (ms: number): string =>
  `${Math.max(0, ms)
    .toString(16)
    .padStart(12, "0")
    .replace(/^(.{8})/, "$1-")}-7000-8000-000000000000`;

/** The creation time of a UUIDv7 in milliseconds. */
export const timeOf = (id: string): number => Number.parseInt(id.replace("-", "").slice(0, 12), 16);

/** Before every other UUID. */
export const nilId = "00000000-0000-0000-0000-000000000000";

/** After every other UUID. */
export const lastId = "ffffffff-ffff-ffff-ffff-ffffffffffff";
