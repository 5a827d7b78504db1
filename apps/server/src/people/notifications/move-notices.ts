import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";

/** Points notifications of comments at another ticket, to which these comments have moved. */
export async function moveNotices(tx: Transaction, organisationId: string, fromId: string, intoId: string) {
  await sql`
    update notices set ticket_id = ${intoId}
    where organisation_id = ${organisationId} and ticket_id = ${fromId} and comment_id in (
      select id from comments where organisation_id = ${organisationId} and ticket_id = ${intoId})`.execute(tx);
}
