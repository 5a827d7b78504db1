import type { Replay, Token } from "../../people/tokens/authenticate-token.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { findReplay } from "./find-replay.ts";
import type { Idempotency } from "./write-ticket.ts";

/** The answer to a request: its status and the bytes of its body. */
type KeptAnswer = { status: number; body: string };

/**
 * The key under which an operation on something other than a new ticket is kept. A header has no line breaks, so it is no
 * key of a ticket's, nor one of another operation's.
 */
export const keyOfOperation = (operationId: string, subjectId: string, key: string): string =>
  `${operationId}\n${subjectId}\n${key}`;

/** That another request has used the Idempotency-Key first; what this one did is taken back. */
class KeyTaken extends Error {}

/** Keeps what an Idempotency-Key replays, in the transaction of the change. Another request with the key is waited for. */
export async function keepAnswer(
  tx: Transaction,
  token: Token,
  { key, requestSha256 }: Idempotency,
  { status, body }: KeptAnswer,
  at: Date,
): Promise<void> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto("idempotency_records")
    .values({
      organisation_id: token.organisationId,
      token_id: token.id,
      key,
      request_sha256: requestSha256,
      response_body: body,
      response_status: status,
      created_at: at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n) throw new KeyTaken();
}

/** Does a change, or finds what to replay where another request with the same Idempotency-Key was faster. */
export async function onceForKey<T>(
  deps: Deps,
  token: Token,
  idempotency: Idempotency | undefined,
  change: () => Promise<T>,
): Promise<T | { replay: Replay }> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof KeyTaken) || !idempotency) throw error;
    const replay = await findReplay(deps, token, idempotency.key);
    if (!replay) throw error;
    return { replay };
  }
}
