import type { Replay, Token } from "../../people/tokens/authenticate-token.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { wantPullRequest } from "../agents/retry-pull-request.ts";
import { keepAnswer, onceForKey } from "./keep-answer.ts";
import { requireTicket } from "./require-ticket.ts";
import { showTicket } from "./show-ticket.ts";
import type { Idempotency } from "./write-ticket.ts";

/**
 * Asks a runner to retry opening the refused pull request of a ticket's newest run. Returns the ticket as the bytes to
 * send, or the response to replay. Throws `ticket_not_found` or `pull_request_not_refused`.
 */
export async function retryTicketPullRequest(
  deps: Deps,
  token: Token,
  ticketId: string,
  idempotency: Idempotency | undefined,
): Promise<{ body: string } | { replay: Replay }> {
  const { organisationId } = token;
  return onceForKey(deps, token, idempotency, async () => {
    const { runId, body } = await deps.db.transaction().execute(async (tx) => {
      await requireTicket(tx, organisationId, ticketId, token);
      const newest = await tx
        .selectFrom("agent_runs")
        .select("id")
        .where("organisation_id", "=", organisationId)
        .where("ticket_id", "=", ticketId)
        .orderBy("id", "desc")
        .limit(1)
        .executeTakeFirst();
      const wanted = newest && (await wantPullRequest(tx, organisationId, newest.id, deps.clock.now()));
      if (!wanted) throw new Refusal("pull_request_not_refused");
      const body = JSON.stringify((await showTicket(deps, tx, token, ticketId)).ticket);
      if (idempotency) await keepAnswer(tx, token, idempotency, { status: 200, body }, deps.clock.now());
      return { runId: newest.id, body };
    });
    deps.announce(organisationId, { kind: "run.changed", runId, ticketId });
    return { body };
  });
}
