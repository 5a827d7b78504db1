import { hash } from "node:crypto";
import type { FileTicket } from "@lodge/contract/tickets";
import type { Replay, Token } from "../../people/tokens/authenticate-token.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput } from "../../platform/errors.ts";
import { findReplay } from "./find-replay.ts";
import { resolveProblem } from "./resolve-problem.ts";
import { type Idempotency, writeTicket } from "./write-ticket.ts";

/**
 * Files a ticket for a token, or updates its problem's ticket (contract section 8). Returns the status and the exact
 * bytes of the response body (interface section 2.3), or the response to replay if another request with the same
 * Idempotency-Key was faster. Throws `invalid_input` for `resolved` without a problem, and the refusals of contract
 * section 2, steps 7 and 8.
 */
export async function fileTicket(
  deps: Deps,
  token: Token,
  input: FileTicket,
  idempotency: Idempotency | undefined,
): Promise<{ status: 200 | 201; body: string } | { replay: Replay }> {
  const { resolved, ...ticket } = input;
  const { problem } = ticket;
  if (resolved !== undefined && problem === undefined) {
    throw invalidInput([{ path: "/problem", message: "is required with resolved" }]);
  }
  const author = { kind: "token" as const, ...token };
  if (resolved && problem !== undefined) {
    const answer = await resolveProblem(deps, author, { ...ticket, problem }, idempotency);
    if (answer) return { status: 200, body: answer.body };
  } else {
    const written = await writeTicket(deps, author, ticket, idempotency);
    if (written) return { status: written.isNew ? 201 : 200, body: written.body };
  }
  // Another request took the key while this one ran: this one waited for it, and replays its response.
  const replay = idempotency && (await findReplay(deps, token, idempotency.key));
  if (!replay) throw new Error("a ticket was neither refused, filed nor replayed");
  return { replay };
}

/** The hash of a request body that an idempotency record keeps, to tell a retry from another request. */
export const hashRequestBody = (body: Buffer): Buffer => hash("sha256", body, "buffer");
