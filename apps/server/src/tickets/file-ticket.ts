import { createHash } from "node:crypto";
import type { FileTicket } from "@lodge/contract/tickets";
import type { Deps } from "../platform/deps.ts";
import type { Replay, Token } from "../tokens/authenticate-token.ts";
import { findReplay } from "./find-replay.ts";
import { writeTicket } from "./write-ticket.ts";

/**
 * Files a ticket in the name of a token. Returns the body of the answer as the bytes to send (interface section 2.3), and
 * whether it was filed just now or another request with the same Idempotency-Key was faster. Throws the refusals of
 * contract section 2, steps 7 and 8.
 */
export async function fileTicket(
  deps: Deps,
  token: Token,
  input: FileTicket,
  idempotency: { key: string; requestSha256: Buffer } | undefined,
): Promise<{ body: string } | { replay: Replay }> {
  const written = await writeTicket(deps, { kind: "token", ...token }, input, idempotency);
  if (written) return written;
  // The key was taken while this request ran: it waited for the other one, and replays it.
  const replay = idempotency && (await findReplay(deps, token, idempotency.key));
  if (!replay) throw new Error("a ticket was neither refused, filed nor replayed");
  return { replay };
}

/** What an idempotency record keeps of a request's body, to tell a retry from another request. */
export const hashRequestBody = (body: Buffer): Buffer => createHash("sha256").update(body).digest();
