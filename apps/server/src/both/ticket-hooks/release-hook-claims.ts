import type pg from "pg";

/** Releases the deliveries that dead workers had claimed; another worker finds them within a second. */
export async function releaseHookClaims(client: pg.ClientBase, workerIds: string[]): Promise<void> {
  await client.query(
    "update hook_deliveries set claimed_by = null where state in ('waiting', 'failed') and claimed_by = any($1)",
    [workerIds],
  );
}
