import type { ErrorCode, Problem } from "@lodge/contract/errors";

/** A refusal that the caller can act on: its code and the fields that go with it. Anything else thrown is a bug. */
export class Refusal extends Error {
  override name = "Refusal";
  readonly code: ErrorCode;
  readonly body: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, body: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
    super(code);
    this.code = code;
    this.body = body;
    this.headers = headers;
  }
}

/** An input that does not fit: `details` names each value at fault (contract section 2, step 6). */
export const invalidInput = (details: Problem[]) => new Refusal("invalid_input", { details });

/**
 * What is right but cannot be taken now: a budget of the process is used up, a disk is full, the database is away. To be
 * tried again after 5 s, long enough for a database to restart and short enough that nobody minds, unless said otherwise.
 */
export const unavailable = (retryAfterSeconds = 5) =>
  new Refusal("unavailable", {}, { "retry-after": `${retryAfterSeconds}` });

/** A mistake of the operator's: printed as it is, without a stack, and the command exits with 1. */
export class OperatorError extends Error {
  override name = "OperatorError";
}

/** What an error says; a failed connection to a name with several addresses says it for each of them. */
export const describe = (error: unknown): string =>
  error instanceof AggregateError ? error.errors.map(describe).join("; ") : (error as Error).message;

/** The HTTP status of each error code (interface section 7). A code without one does not compile. */
export const statusOf = {
  invalid_input: 400,
  project_required: 400,
  invalid_date_range: 400,
  not_a_member: 400,
  invalid_agent_repository: 400,
  invalid_idempotency_key: 400,
  schema_validation_failed: 400,
  envelope_too_large: 400,
  attachment_missing: 400,
  attachment_unexpected: 400,
  envelope_part_missing: 400,
  envelope_invalid_json: 400,
  no_parts: 400,
  invalid_multipart: 400,
  sha256_mismatch: 400,
  bytelength_mismatch: 400,
  attachment_sha256_mismatch: 400,
  invalid_source_map: 400,
  bad_request: 400,
  invalid_api_token: 401,
  invalid_sdk_key: 401,
  not_signed_in: 401,
  wrong_credentials: 401,
  invalid_reply_token: 401,
  invalid_runner_token: 401,
  insufficient_scope: 403,
  org_suspended: 403,
  forbidden: 403,
  untrusted_origin: 403,
  no_organisation: 403,
  invited_somebody_else: 403,
  person_elsewhere: 409,
  project_not_found: 404,
  board_not_found: 404,
  column_not_found: 404,
  organisation_not_found: 404,
  member_not_found: 404,
  invitation_not_found: 404,
  token_not_found: 404,
  ticket_not_found: 404,
  comment_not_found: 404,
  view_name_taken: 409,
  view_not_found: 404,
  image_not_found: 404,
  image_too_large: 413,
  not_an_image: 400,
  text_not_found: 404,
  app_not_found: 404,
  key_not_found: 404,
  key_name_taken: 409,
  month_not_over: 409,
  repository_not_found: 404,
  repository_name_taken: 409,
  repository_in_use: 409,
  board_has_subscribers: 409,
  problem_not_found: 404,
  hash_not_found: 404,
  event_not_found: 404,
  delivery_not_found: 404,
  subscriber_not_found: 404,
  replay_not_found: 404,
  thread_not_found: 404,
  hook_not_found: 404,
  runner_not_found: 404,
  runner_name_taken: 409,
  run_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  thread_closed: 409,
  lease_lost: 409,
  log_gap: 409,
  run_not_held: 409,
  run_ended: 409,
  link_expired: 410,
  attachment_too_large: 413,
  payload_too_large: 413,
  source_maps_too_large: 413,
  already_set_up: 409,
  last_owner: 409,
  agent_is_fixed: 409,
  already_a_member: 409,
  session_not_found: 404,
  second_factor_required: 401,
  wrong_code: 401,
  second_factor_unreadable: 401,
  second_factor_on: 409,
  second_factor_not_begun: 409,
  passkey_refused: 401,
  passkey_not_found: 404,
  provider_not_found: 404,
  provider_unreachable: 400,
  provider_refused: 401,
  provider_needed: 403,
  signed_in_by_provider: 403,
  email_not_vouched_for: 403,
  invitation_needed: 403,
  no_role: 403,
  second_factor_needed: 403,
  password_link_not_found: 404,
  mail_not_set_up: 409,
  member_elsewhere: 409,
  subscriber_disabled: 409,
  delivery_settled: 409,
  replay_running: 409,
  subscriber_exists: 409,
  token_name_taken: 409,
  not_empty: 409,
  text_changed: 409,
  only_archived: 409,
  last_column: 409,
  too_many: 409,
  card_moved_away: 409,
  range_not_satisfiable: 416,
  rate_limit_exceeded: 429,
  too_many_streams: 429,
  internal_error: 500,
  unavailable: 503,
} satisfies Record<ErrorCode, number>;
