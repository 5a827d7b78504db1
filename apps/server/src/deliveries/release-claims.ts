import type pg from "pg";

/** Gives back the deliveries that dead workers had taken. */
export async function releaseClaims(client: pg.ClientBase, workerIds: string[]): Promise<void> {
  await client.query(
    "update deliveries set claimed_by = null where state in ('waiting', 'failed') and claimed_by = any($1)",
    [workerIds],
  );
}
