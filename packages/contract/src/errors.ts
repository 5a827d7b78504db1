/**
 * Every error code that a response body can carry in `error` (interface section 7), and what it says to a person.
 * Clients match on the code, not on the status alone.
 */
export const errorMessages = {
  // Ticket API, interface section 7.1
  invalid_input: "The request does not fit; details lists what to mend.",
  project_required: "The token reaches more than one project: name one in projectId.",
  invalid_date_range: "The start (startsAt) must not be after the due day (dueAt).",
  not_a_member: "The assignee (assigneeUserId) is not a member of the organisation.",
  invalid_agent_repository: "The agent's repository (agentRepositoryId) is not one that is bound to the project.",
  invalid_idempotency_key: "The Idempotency-Key header must have 1 to 255 characters.",
  invalid_api_token: "Send a valid API token as Authorization: Bearer <API_TOKEN>.",
  insufficient_scope: "The token lacks the permission named in required.",
  project_not_found: "There is no such project, or it is out of reach.",
  board_not_found: "There is no such board in the project.",
  column_not_found: "There is no such column on the board.",
  // Ingestion, interface section 7.2
  schema_validation_failed: "The envelope does not fit; details lists what to mend.",
  envelope_too_large: "The envelope has more than 5 MB after decompression.",
  attachment_missing: "The envelope declares a part that was not sent; it is named in partName.",
  attachment_unexpected: "A part was sent that the envelope does not declare, or twice; it is named in partName.",
  envelope_part_missing: "The request has no part named envelope.",
  envelope_invalid_json: "The part named envelope is not JSON in UTF-8, or cannot be gunzipped.",
  no_parts: "Send the report as multipart/form-data with a part named envelope.",
  invalid_multipart: "The body is not well-formed multipart/form-data, or it ends early.",
  sha256_mismatch: "A part does not match its own Content-Digest header; it is named in partName.",
  bytelength_mismatch: "An attachment does not have its declared byteLength; it is named in partName.",
  attachment_sha256_mismatch: "The bytes of an attachment do not hash to its declared sha256; it is named in partName.",
  invalid_sdk_key: "Send a valid SDK key as Authorization: Bearer <SDK_KEY>.",
  org_suspended: "Ingestion is suspended because the organisation exceeds its install limit. Do not retry.",
  attachment_too_large: "An attachment has more than 25 MiB.",
  payload_too_large: "The request has more than 25 MB.",
  // The dashboard's API
  not_signed_in: "Sign in first.",
  wrong_credentials: "The e-mail address or the password is wrong.",
  untrusted_origin: "The request came from another site than this dashboard.",
  no_organisation: "You work on no organisation now: choose one of yours, or ask for an invitation.",
  organisation_not_found: "There is no such organisation among yours.",
  already_set_up: "There are people in this Lodge already: sign in, or ask for an invitation.",
  member_not_found: "There is no such member.",
  last_owner: "An organisation needs at least one owner: make somebody else an owner first.",
  agent_is_fixed: "The organisation's agent cannot be changed or removed.",
  already_a_member: "This person is a member already.",
  invitation_not_found:
    "There is no such invitation: it was accepted, revoked, replaced by a newer one, or has expired.",
  invited_somebody_else: "The invitation is for another e-mail address than the one that you are signed in with.",
  token_not_found: "There is no such token, or it is revoked.",
  token_name_taken: "Another token has this name.",
  ticket_not_found: "There is no such ticket.",
  comment_not_found: "There is no such comment.",
  view_not_found: "There is no such view among yours.",
  image_not_found: "There is no such image: it is deleted once no text shows it.",
  image_too_large: "An image has at most 10 MiB.",
  not_an_image: "It must be a PNG, JPEG, GIF, WebP or AVIF image.",
  text_not_found: "There is no such text: of each ticket the latest ones are kept.",
  text_changed: "Somebody else has changed the text meanwhile: current has it as it is now.",
  app_not_found: "There is no such app.",
  problem_not_found: "There is no such problem.",
  hash_not_found: "There is no such hash in the problem, or none would be left.",
  event_not_found: "There is no such event.",
  delivery_not_found: "There is no such delivery.",
  subscriber_not_found: "There is no such subscriber.",
  subscriber_exists: "The app has a subscriber like this already.",
  subscriber_disabled: "The subscriber is disabled: enable it first.",
  invalid_source_map: "A part is no source map that can be read; it is named in partName, and reason says why.",
  source_maps_too_large: "A source map has more than 32 MiB, or the request more than 100 MB.",
  not_empty: "There are still cards in it: move or archive them first.",
  only_archived: "There are archived cards in it: restore them, or delete them with it.",
  last_column: "A board keeps at least one column.",
  too_many: "There are as many of these as there can be.",
  card_moved_away: "The card that this one was to lie below is no longer in that column.",
  too_many_streams: "Too many pages of this session listen for changes: close one.",
  link_expired: "The time of this link is over.",
  range_not_satisfiable: "There are no such bytes; Content-Range tells how many there are.",
  // Replies
  invalid_reply_token: "Send the token of this very thread or device as Authorization: Bearer <TOKEN>.",
  thread_not_found: "There is no such thread.",
  thread_closed: "The thread is closed: it can be read only.",
  // The agent
  invalid_runner_token: "Send the token of a runner as Authorization: Bearer <RUNNER_TOKEN>.",
  lease_lost: "The run is not, or no longer, this runner's: stop working on it.",
  log_gap: "The log does not reach to this offset: send what lies between, from length on.",
  run_not_found: "There is no such run.",
  run_not_held: "The run does not wait for a person.",
  run_ended: "The run has come to its end already.",
  // Passwords
  password_link_not_found: "The link was used already, replaced by a newer one, or has expired.",
  mail_not_set_up: "This Lodge sends no e-mail: ask an admin of your organisation for a link.",
  member_elsewhere: "The person belongs to another organisation as well: only they can ask for a new password.",
  // Both doors
  rate_limit_exceeded: "Too many requests: try again after the seconds in Retry-After.",
  // The service itself
  bad_request: "The request is not well-formed HTTP.",
  not_found: "There is nothing at this address.",
  method_not_allowed: "This address does not answer to the method; Allow lists those that it does.",
  forbidden: "You are not allowed to do this.",
  request_timeout: "The request did not arrive in time.",
  unavailable: "Lodge cannot take this right now: try again after the seconds in Retry-After.",
  internal_error: "This is our fault; requestId finds it in the log.",
} as const;

/** One of the codes of `errorMessages`. */
export type ErrorCode = keyof typeof errorMessages;

/** One reason why an input was refused: a JSON Pointer (RFC 6901) to the value, and what to do about it. */
export type Problem = { path: string; message: string };
