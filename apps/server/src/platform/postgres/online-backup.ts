import type pg from "pg";

const leftOut = /^(postmaster\.(pid|opts)|backup_label|tablespace_map|current_logfiles)$|(^|\/)pg_internal\.init$/;
const emptied = /^pg_(wal|replslot|dynshmem|notify|serial|snapshots|stat_tmp|subtrans)\//;

/** Whether a backup includes this file: not locks, files that each start recreates, or the WAL (copied last). */
export const isInBackup = (path: string): boolean => !leftOut.test(path) && !emptied.test(path);

/**
 * Starts the backup of a cluster, and returns the first WAL segment that the backup needs. The cluster keeps the WAL
 * until the session ends, so a killed backup leaves nothing behind.
 */
export async function beginBackup(client: pg.Client): Promise<string> {
  await client.query("select pg_create_physical_replication_slot('lodged_backup_' || pg_backend_pid(), true, true)");
  const { rows } = await client.query<{ segment: string }>(
    "select pg_walfile_name(pg_backup_start('lodged backup', fast => true)) as segment",
  );
  return rows[0]?.segment ?? "";
}

/**
 * Ends the backup of `beginBackup`. Copy the returned WAL segments while the session is open, and write the label to
 * `backup_label`. The first start of the copy then restores the state of the original at this moment.
 */
export async function endBackup(client: pg.Client, first: string): Promise<{ segments: string[]; label: string }> {
  const { rows } = await client.query<{ last: string; label: string }>(
    "select pg_walfile_name(lsn) as last, labelfile as label from pg_backup_stop(wait_for_archive => false)",
  );
  const { last = "", label = "" } = rows[0] ?? {};
  const segments = await client.query<{ name: string }>(
    `select name from pg_ls_waldir() where name ~ '^[0-9A-F]{24}$' and name collate "C" between $1 and $2`,
    [first, last],
  );
  return { segments: segments.rows.map(({ name }) => name), label };
}
