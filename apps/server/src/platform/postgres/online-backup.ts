import type pg from "pg";

const leftOut = /^(postmaster\.(pid|opts)|backup_label|tablespace_map|current_logfiles)$|(^|\/)pg_internal\.init$/;
const emptied = /^pg_(wal|replslot|dynshmem|notify|serial|snapshots|stat_tmp|subtrans)\//;

/** Whether a copy of a running cluster has this file: not locks, nor what each start makes anew, nor the log, which comes last. */
export const isInBackup = (path: string): boolean => !leftOut.test(path) && !emptied.test(path);

/**
 * Tells a cluster that its files are copied from now on, and returns the first segment of its log that the copy needs. The
 * cluster keeps the log, and nothing else of this, for as long as the session lives, so one that is killed leaves nothing.
 */
export async function beginBackup(client: pg.Client): Promise<string> {
  await client.query("select pg_create_physical_replication_slot('lodged_backup_' || pg_backend_pid(), true, true)");
  const { rows } = await client.query<{ segment: string }>(
    "select pg_walfile_name(pg_backup_start('lodged backup', fast => true)) as segment",
  );
  return rows[0]?.segment ?? "";
}

/**
 * Ends what `beginBackup` began. A copy becomes a cluster with the segments of the log, to be copied while the session
 * still lives, and the label as its file `backup_label`: its first start makes of it what the original was at this moment.
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
