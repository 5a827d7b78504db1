import type { UpdateTicket } from "@lodge/contract/tickets";
import type { Replay, Token } from "../../people/tokens/authenticate-token.ts";
import { tokenAsChanger } from "../../people/tokens/changer.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { applyChange } from "./apply-change.ts";
import { keepAnswer, onceForKey } from "./keep-answer.ts";
import type { TicketRow } from "./read-ticket.ts";
import { etagOf, toTicket } from "./show-ticket.ts";
import type { Idempotency } from "./write-ticket.ts";

/**
 * Changes a ticket in the name of a token (`applyChange`). Returns the ticket as the bytes to send with its `ETag`, or
 * the response to replay if another request with the same Idempotency-Key was faster. Throws `ticket_changed` if the
 * ticket's `ETag` no longer matches `ifMatch`.
 */
export function updateTicket(
  deps: Deps,
  token: Token,
  ticketId: string,
  changes: UpdateTicket,
  { ifMatch, idempotency }: { ifMatch?: string | undefined; idempotency?: Idempotency | undefined } = {},
): Promise<{ body: string; etag: string } | { replay: Replay }> {
  const bodyOf = (row: TicketRow) => JSON.stringify(toTicket(deps, row));
  return onceForKey(deps, token, idempotency, async () => {
    const row = await applyChange(deps, tokenAsChanger(token), ticketId, changes, {
      check: (before) => {
        if (ifMatch !== undefined && !matches(ifMatch, etagOf(before))) throw new Refusal("ticket_changed");
      },
      keep: async (tx, after) => {
        if (idempotency)
          await keepAnswer(tx, token, idempotency, { status: 200, body: bodyOf(after) }, deps.clock.now());
      },
    });
    return { body: bodyOf(row), etag: etagOf(row) };
  });
}

/** Whether an `If-Match` names an `ETag`. Proxies that compress responses mark ETags as weak. */
const matches = (ifMatch: string, etag: string): boolean =>
  ifMatch.split(",").some((text) => ["*", etag].includes(text.trim().replace(/^W\//, "")));
