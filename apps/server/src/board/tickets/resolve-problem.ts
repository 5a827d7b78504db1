import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { resolveProblems } from "./resolve-problems.ts";
import { type Author, file, type Idempotency, type NewTicket } from "./write-ticket.ts";

/**
 * Resolves the open ticket of a problem, if there is one, with its activity and its idempotency record, and announces
 * it to dashboards. Returns the response body for a token (contract section 8), or undefined if another request with
 * the same Idempotency-Key was faster. Throws the refusals of contract section 2, step 7.
 */
export async function resolveProblem(
  deps: Deps,
  author: Extract<Author, { kind: "token" }>,
  { problem, projectId, boardId, columnId }: NewTicket & { problem: string },
  idempotency?: Idempotency,
): Promise<{ body: string } | undefined> {
  const { organisationId } = author;
  const request = {
    organisation_id: organisationId,
    token_id: author.id,
    reaches_all: author.reachesAllProjects,
    project_id: projectId,
    board_id: boardId,
    column_id: columnId,
    author_name: author.name,
    problem,
    created_at: deps.clock.now(),
    idempotency_key: idempotency?.key,
    request_sha256: idempotency && (`\\x${idempotency.requestSha256.toString("hex")}` as const),
    base_url: deps.urls.base,
  };
  const answer = await file(deps, resolveProblems, request);
  if (!answer) return undefined;
  if (answer.refusal) throw new Refusal(answer.refusal);
  const { id, board_id: resolvedBoardId, column_id: toColumnId, from_column_id: fromColumnId, body } = answer;
  if (id === null || resolvedBoardId === null || toColumnId === null || fromColumnId === null) return { body };
  const place = { ticketId: id, boardId: resolvedBoardId, columnId: toColumnId };
  if (answer.is_archived) deps.announce(organisationId, { kind: "ticket.archived", ...place });
  else if (fromColumnId === toColumnId) deps.announce(organisationId, { kind: "ticket.changed", ...place });
  else deps.announce(organisationId, { kind: "ticket.moved", ...place, fromBoardId: resolvedBoardId, fromColumnId });
  return { body };
}
