import type pg from "pg";

/** Gives back the deliveries that dead workers had taken; another finds them within a second. */
export async function releaseHookClaims(client: pg.ClientBase, workerIds: string[]): Promise<void> {
  await client.query(
    "update hook_deliveries set claimed_by = null where state in ('waiting', 'failed') and claimed_by = any($1)",
    [workerIds],
  );
}
