import type { Replay, Token } from "../../people/tokens/authenticate-token.ts";
import type { Deps } from "../../platform/deps.ts";

/** The answer stored under an Idempotency-Key of a token, or undefined. */
export async function findReplay({ db }: Deps, token: Token, key: string): Promise<Replay | undefined> {
  const record = await db
    .selectFrom("idempotency_records")
    .select(["request_sha256", "response_body", "response_status"])
    .where("organisation_id", "=", token.organisationId)
    .where("token_id", "=", token.id)
    .where("key", "=", key)
    .executeTakeFirst();
  return (
    record && {
      requestSha256: record.request_sha256,
      responseBody: record.response_body,
      status: record.response_status,
    }
  );
}
