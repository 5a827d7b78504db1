import type { Readable } from "node:stream";
import { sql } from "kysely";
import type { Token } from "../../people/tokens/authenticate-token.ts";
import { reachesProject } from "../../people/tokens/reaches-project.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { downloadHeaders } from "../../platform/http/download.ts";

type Row = { filename: string; content_type: string | null; byte_length: number; store_key: string };

/**
 * The bytes of an attachment of the organisation, or of a ticket that a token has access to, with headers that make
 * browsers save the file and never run it. Throws `attachment_not_found`.
 */
export async function openAttachment(
  { db, store }: Deps,
  organisationId: string,
  attachmentId: string,
  token?: Token,
): Promise<{ headers: Record<string, string | number>; bytes: Readable }> {
  const { rows } = await sql<Row>`
    select a.filename, a.content_type, a.byte_length, a.store_key
    from ticket_attachments a
    join tickets on tickets.organisation_id = a.organisation_id and tickets.id = a.ticket_id
    join columns on columns.organisation_id = tickets.organisation_id and columns.id = tickets.column_id
    join boards on boards.organisation_id = columns.organisation_id and boards.id = columns.board_id
    where a.organisation_id = ${organisationId} and a.id = ${attachmentId}
      and ${token ? reachesProject(token, sql.ref("boards.project_id")) : sql`true`}`.execute(db);
  const [found] = rows;
  const bytes = found && (await store.read(found.store_key));
  if (!bytes) throw new Refusal("attachment_not_found");
  return {
    bytes,
    headers: {
      ...downloadHeaders(found.filename, found.content_type),
      "cache-control": "private, no-store",
      "content-length": found.byte_length,
      "cross-origin-resource-policy": "same-origin",
    },
  };
}
