import type { Replay, Token } from "../../people/tokens/authenticate-token.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { findReplay } from "./find-replay.ts";
import type { Idempotency } from "./write-ticket.ts";

/** The response to a request: its status and the bytes of its body. */
type KeptAnswer = { status: number; body: string };

/**
 * The key under which the response of an operation on an existing ticket is stored. A header cannot contain line
 * breaks, so it differs from keys of filing and of other operations.
 */
export const keyOfOperation = (operationId: string, subjectId: string, key: string): string =>
  `${operationId}\n${subjectId}\n${key}`;

/** Another request has used the Idempotency-Key first; this one is rolled back. */
class KeyTaken extends Error {}

/**
 * Stores the response that an Idempotency-Key replays, in the transaction of the change. Waits for another request with
 * the key.
 */
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

/** Makes a change, or finds the response to replay if another request with the same Idempotency-Key was faster. */
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
