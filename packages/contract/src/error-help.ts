import type { ErrorCode } from "./errors.ts";

/** Why a code is answered, and what to do about it: the source of its page, and none can be without. */
export type ErrorHelp = { cause: string; remedy: string };

const retryAfter =
  "Wait for the seconds in `Retry-After`, then send the same request again, with the same `Idempotency-Key` or `reportId`.";
const neverRetry = "Sending the same again gives the same answer.";

/** The cause of each error code, and what to do about it (interface section 7). */
export const errorHelp: Record<ErrorCode, ErrorHelp> = {
  invalid_input: {
    cause:
      "The body is not JSON of the wanted shape: a field is missing, unknown, too long or of another type, a date is none, or the body has more than 1 MiB.",
    remedy:
      "`details` lists at most eight places, each as a JSON Pointer with what to mend. Unknown fields are refused so that a mistyped one is not lost in silence.",
  },
  project_required: {
    cause: "The token reaches more than one project, and the request names none.",
    remedy:
      "Send `projectId`; `GET /api/v1/projects` lists what the token reaches. With the command: `--project`. Or give the token one project only.",
  },
  invalid_date_range: {
    cause: "`startsAt` is a later day than `dueAt`.",
    remedy: "Send days in order, or leave one of them out.",
  },
  not_a_member: {
    cause: "The user that is to be assigned or mentioned is not, or no longer, a member of the organisation.",
    remedy: "`GET /api/v1/projects` lists the members, the AI agent among them.",
  },
  invalid_agent_repository: {
    cause: "`agentRepositoryId` is not a repository that is bound to the ticket's project.",
    remedy: "Name one of the project's repositories, or none: the project's only one is taken then.",
  },
  invalid_idempotency_key: {
    cause: "The `Idempotency-Key` header is empty, or has more than 255 characters.",
    remedy: "Send 1 to 255 characters that are the same in every retry; of something longer, send a hash.",
  },
  invalid_api_token: {
    cause:
      "The `Authorization` header is missing or malformed, or the token is unknown or revoked. The answer does not tell which.",
    remedy:
      "Send `Authorization: Bearer ldg_…`. Check in the dashboard, under API tokens, whether the token still exists; one that is lost is revoked and replaced. An SDK key is not a token.",
  },
  insufficient_scope: {
    cause: "The token is valid, but lacks the permission that `required` names.",
    remedy: "An admin adds the permission to the token in the dashboard. It holds from the next request.",
  },
  project_not_found: {
    cause:
      "There is no such project, or the token does not reach it, or it reaches none at all: a token is not told which.",
    remedy: "Compare the id with `GET /api/v1/projects`, and the scope of the token in the dashboard.",
  },
  board_not_found: {
    cause: "There is no such board, or it belongs to another project than the one that was named.",
    remedy: "Name a board of that project, or none for its first.",
  },
  column_not_found: {
    cause: "There is no such column, or it lies on another board than the one that was named or is the first.",
    remedy: "Name the column's own board as well, or no column for the leftmost.",
  },
  schema_validation_failed: {
    cause: "The envelope does not fit its schema: an unknown top-level key, a value of another type, a text too long.",
    remedy: `\`details\` lists the places as JSON Pointers; the schema is \`docs/envelope.schema.json\`. ${neverRetry}`,
  },
  envelope_too_large: {
    cause: "The envelope has more than 5,000,000 bytes after decompression.",
    remedy: `Send what is large as an attachment, or leave it out. ${neverRetry}`,
  },
  attachment_missing: {
    cause: "The envelope declares an attachment whose part was not sent; `partName` names it.",
    remedy: `Send a part for each entry of \`attachments\`, under its \`partName\`. ${neverRetry}`,
  },
  attachment_unexpected: {
    cause: "A part was sent that the envelope does not declare, or twice, or as the sixth attachment.",
    remedy: `Declare each part once in \`attachments\`; there can be five. ${neverRetry}`,
  },
  envelope_part_missing: {
    cause: "The form has parts, but none is named `envelope`.",
    remedy: `Name the part with the JSON \`envelope\`. ${neverRetry}`,
  },
  envelope_invalid_json: {
    cause: "The part named `envelope` is not JSON in UTF-8, or is compressed and cannot be gunzipped.",
    remedy: `Send plain or gzipped JSON. ${neverRetry}`,
  },
  no_parts: {
    cause: "The body is empty, or its content type is not `multipart/form-data`.",
    remedy: `Send a form with a part named \`envelope\`; let the HTTP library write the \`Content-Type\` with its boundary. ${neverRetry}`,
  },
  invalid_multipart: {
    cause: "The body is not well-formed multipart, breaks off, or has a `Content-Encoding`.",
    remedy: `Let a library write the form; compress the envelope's part, not the request. ${neverRetry}`,
  },
  sha256_mismatch: {
    cause: "A part carries a `Content-Digest` header that its bytes do not match; `partName` names it.",
    remedy: `Compute the digest of the very bytes that are sent, after compression. ${neverRetry}`,
  },
  bytelength_mismatch: {
    cause: "An attachment has more or fewer bytes than its `byteLength` declares; `partName` names it.",
    remedy: `Count the bytes that are sent, not characters. A file that grows while it is read is copied first. ${neverRetry}`,
  },
  attachment_sha256_mismatch: {
    cause: "The bytes of an attachment do not hash to its declared `sha256`; `partName` names it.",
    remedy: `Hash the very bytes that are sent. ${neverRetry}`,
  },
  invalid_sdk_key: {
    cause: "The `Authorization` header is missing or malformed, or the SDK key is unknown or revoked.",
    remedy: "Send `Authorization: Bearer ldgpub_…` with the app's key. An API token is not a key.",
  },
  org_suspended: {
    cause:
      "The organisation was over its monthly limit of active installs for two calendar months, and is over again. `since` is the day from which reports are refused; they are not stored.",
    remedy:
      "Do not retry. Reports are taken again when a month ends within the limit, or at once with a larger plan. Client configuration is answered as ever.",
  },
  attachment_too_large: {
    cause: "An attachment has more than 25 MiB (26,214,400 bytes), or what this server was set to.",
    remedy: `Shorten or compress it; \`GET /api/config\` says the limits. ${neverRetry}`,
  },
  payload_too_large: {
    cause: "The whole request has more than 25 MB (25,000,000 bytes), or what this server was set to.",
    remedy: `Send fewer or smaller attachments; \`GET /api/config\` says the limits. ${neverRetry}`,
  },
  not_signed_in: {
    cause: "The dashboard's API was asked without a session, or with one that has ended.",
    remedy: "Sign in. Programs use the ticket API with a token instead.",
  },
  wrong_credentials: {
    cause: "No account has this e-mail address with this password.",
    remedy: "Try again; who runs the server can set a new password.",
  },
  untrusted_origin: {
    cause: "A change was sent to the dashboard's API from a page of another site.",
    remedy:
      "Use the dashboard at its own address. Behind a proxy, set `LODGE_BASE_URL` to the address that browsers see.",
  },
  no_organisation: {
    cause: "The person is signed in, but works on no organisation, or was removed from it.",
    remedy: "Choose another organisation, or ask for an invitation.",
  },
  organisation_not_found: {
    cause: "There is no such organisation, or the person is no member of it.",
    remedy: "Choose one of those that the session lists.",
  },
  already_set_up: {
    cause: "The first owner was made already.",
    remedy: "Sign in, or ask an owner for an invitation.",
  },
  member_not_found: {
    cause: "There is no such member of the organisation.",
    remedy: "Load the members again: somebody may have removed them.",
  },
  member_elsewhere: {
    cause: "The person is a member of another organisation too, whose admins have a say in the password as well.",
    remedy: "Who runs this Lodge can set a new password, with `lodged apply`.",
  },
  second_factor_required: {
    cause: "The password is right, and the person has a second factor, of which no code was sent.",
    remedy: "Send the same again with `code`: six digits of the authenticator app, or a code for recovery.",
  },
  wrong_code: {
    cause: "The code is none of the person's, is older than a minute, or was used before.",
    remedy: "Wait for the next code of the app, and look at the clock of its device; or use a code for recovery.",
  },
  second_factor_unreadable: {
    cause: "The key of the authenticator app was encrypted with another `LODGE_SECRET` than the server has now.",
    remedy:
      "Sign in with a code for recovery, then remove the second factor on the profile page and set it up again. Who has none left asks an owner or admin to take it away, on the page of members, or who runs this Lodge: `lodged second-factor remove EMAIL`. The former `LODGE_SECRET` brings all of them back.",
  },
  second_factor_on: {
    cause: "The person has a second factor already.",
    remedy: "Remove it first, with the password, then set up the new one.",
  },
  second_factor_not_begun: {
    cause: "The person has no second factor, nor a secret that waits for its first code.",
    remedy: "Begin with `POST /api/dashboard/profile/totp`.",
  },
  passkey_refused: {
    cause:
      "What the browser answered does not fit what it was asked within the last five minutes, at this address, or is of a passkey that nobody has here.",
    remedy:
      "Try again. The passkeys of a Lodge work only at the address that it had when they were made: `LODGE_BASE_URL`.",
  },
  passkey_not_found: {
    cause: "The person has no such passkey.",
    remedy: "Load the list again: it may have been removed in another window.",
  },
  provider_not_found: {
    cause: "No organisation has this name in addresses, or it signs in with passwords alone.",
    remedy: "Look at the address that an owner has given out.",
  },
  provider_unreachable: {
    cause: "The identity provider's configuration, keys or tokens could not be had; the message says why.",
    remedy:
      "Its issuer, followed by `/.well-known/openid-configuration`, must answer by https, at an address that this server may connect to: `LODGE_WEBHOOK_ALLOWED_NETWORKS` opens private ones. After a change of `LODGE_SECRET` an owner enters the client secret again.",
  },
  provider_refused: {
    cause:
      "The identity provider refused, or its answer is not for what this browser has begun in the last ten minutes; the message says which.",
    remedy:
      "Begin again. Where it happens again, an owner compares client id, secret and redirect URI with those at the provider.",
  },
  provider_needed: {
    cause:
      "An owner of the organisation has members sign in with its identity provider alone, and this session was opened otherwise.",
    remedy:
      "Sign in with the provider, at `{base}/sign-in/` and the organisation's name in addresses. Owners get in otherwise too.",
  },
  signed_in_by_provider: {
    cause:
      "A session that an organisation's identity provider has opened is for that organisation alone, and not for the person's account.",
    remedy:
      "Sign out, and in with the password. Who has none asks for a link for a new one on the sign-in page, or an admin.",
  },
  email_not_vouched_for: {
    cause:
      "The ID token has no `email` with `email_verified: true`, or the address is of none of the domains that the organisation has entered.",
    remedy: "The administrator of the provider has it say both; an owner adds the domain.",
  },
  invitation_needed: {
    cause:
      "The provider says an e-mail address whose account belongs to other organisations. It cannot be made a member here without its owner's doing.",
    remedy:
      "Ask an owner or admin for an invitation, and accept it signed in with the account. Then the provider signs you in.",
  },
  no_role: {
    cause: "None of the values in the role claim makes a role, and there is none for everybody else.",
    remedy:
      "An owner of the organisation changes the roles of its identity provider, or the provider's administrator the claims.",
  },
  second_factor_needed: {
    cause: "The organisation requires a second factor, and the person who asks has none.",
    remedy: "Set one up on the profile page. Everything else works from the next request on.",
  },
  session_not_found: {
    cause: "The person has no such session: it was ended, or has expired.",
    remedy: "Load the sessions again.",
  },
  password_link_not_found: {
    cause:
      "The link for a new password was used, replaced by a newer one, or has expired; or whoever made it may no longer make one for this person.",
    remedy: "Ask for a new link.",
  },
  mail_not_set_up: {
    cause: "What was asked for goes by e-mail, and this server is not set up to send any.",
    remedy: "Who runs this Lodge sets `LODGE_SMTP_URL` and `LODGE_MAIL_FROM`; until then hand out links by hand.",
  },
  last_owner: {
    cause: "The change would leave the organisation without an owner.",
    remedy: "Make somebody else an owner first.",
  },
  agent_is_fixed: {
    cause: "The AI agent of an organisation is no person: its role cannot be changed, nor can it be removed.",
    remedy: "Leave it; without credits it starts no runs.",
  },
  already_a_member: {
    cause: "The person who is invited is a member already.",
    remedy: "Change the member's role instead.",
  },
  invitation_not_found: {
    cause:
      "The invitation was accepted, revoked, replaced by a newer one, or has expired; or whoever invited is no longer an owner or admin who may.",
    remedy: "Ask an admin for a new one.",
  },
  person_elsewhere: {
    cause:
      "The installation has several cells, all organisations of a person are in the same one, and whoever is invited has an account in another than the organisation that invites.",
    remedy: "Have the operator move the one organisation to the cell of the other: lodged cell move ORGANISATION CELL.",
  },
  invited_somebody_else: {
    cause: "The invitation is for another e-mail address than that of the session.",
    remedy: "Sign out, and follow the link again as the person who was invited.",
  },
  app_not_found: {
    cause: "There is no such app in the organisation.",
    remedy: "Compare the id with the apps that the dashboard lists.",
  },
  key_not_found: {
    cause: "The app has no such SDK key, or it is revoked already.",
    remedy: "Compare the id with the keys that the dashboard shows for the app.",
  },
  key_name_taken: {
    cause: "The app has another SDK key with this name.",
    remedy: "Choose another name; to replace a key by one of its name, rotate it.",
  },
  repository_not_found: {
    cause: "There is no such repository in the organisation, or it was taken from its project.",
    remedy: "Compare the id with those on the page “Organisation”.",
  },
  repository_name_taken: {
    cause: "The project has another repository with this name.",
    remedy: "Choose another name, or take the other one from the project first.",
  },
  repository_in_use: {
    cause: "A run of the agent works on the repository.",
    remedy: "Wait until the run has ended, or cancel it on its card.",
  },
  board_has_subscribers: {
    cause: "Subscribers of apps file reports onto the board, or onto one of the project, and would be deleted with it.",
    remedy:
      "`GET /api/dashboard/boards/{boardId}/subscribers` lists them. Have them file elsewhere first, or send `subscribers=delete`.",
  },
  month_not_over: {
    cause: "Only a month that went over its install limit and counts can be struck out.",
    remedy: "The page “Usage and plan” says how each month counts.",
  },
  event_not_found: {
    cause: "There is no such event in the organisation.",
    remedy: "Compare the id: a link from another organisation leads nowhere in this one.",
  },
  problem_not_found: {
    cause: "There is no such problem in the organisation, or it was merged into another one.",
    remedy: "Look for it among the problems of its app.",
  },
  token_not_found: {
    cause: "There is no such API token, or it is revoked.",
    remedy: "Load the tokens again.",
  },
  token_name_taken: {
    cause: "Another live token of the organisation has this name, which is the author of its tickets.",
    remedy: "Choose another name, or revoke the other token first.",
  },
  ticket_not_found: {
    cause: "There is no such ticket, or whoever asks does not reach it: the answer does not tell which.",
    remedy: "Compare the id, and the scope of the token.",
  },
  not_empty: {
    cause: "There are still cards in the project, board or column that was to be deleted.",
    remedy: "Move the cards first.",
  },
  last_column: {
    cause: "A board keeps at least one column.",
    remedy: "Make another column first, or delete the board.",
  },
  too_many: {
    cause: "The organisation has as many of these as there can be.",
    remedy: "Delete what is no longer needed.",
  },
  only_archived: {
    cause: "No cards are left in the project, board or column that was to be deleted, but there are archived ones.",
    remedy: "Restore them and move them, or say that they are to be deleted with it.",
  },
  card_moved_away: {
    cause: "The card that this one was to lie below has left the column meanwhile.",
    remedy: "Load the column again, and say anew where the card goes.",
  },
  too_many_streams: {
    cause: "Too many pages of one session are open and listen for changes.",
    remedy: "Close some of them.",
  },
  comment_not_found: {
    cause: "There is no such comment on the ticket, or it was deleted.",
    remedy: "Load the comments again.",
  },
  view_name_taken: {
    cause: "You have saved another view of the board under this name.",
    remedy: "Choose another name, or forget the other view.",
  },
  view_not_found: {
    cause: "There is no such view: it was deleted, its board is gone, or it is another member's.",
    remedy: "Load the views again.",
  },
  image_not_found: {
    cause: "There is no such image in the organisation: it is deleted once no text of its ticket shows it.",
    remedy: "Store it again, and show the address that is answered.",
  },
  image_too_large: {
    cause: "The image has more than 10 MiB.",
    remedy: "Make it smaller, or keep it elsewhere and link to it.",
  },
  not_an_image: {
    cause: "The first bytes are not those of a PNG, JPEG, GIF, WebP or AVIF image, whatever its content type says.",
    remedy: "Convert it to one of these.",
  },
  text_not_found: {
    cause: "There is no such earlier text: of each ticket the latest ones are kept.",
    remedy: "Load the list of earlier texts again.",
  },
  text_changed: {
    cause: "Somebody else has changed the text since it was loaded; `current` has it as it is now.",
    remedy: "Bring the two together, and save again on top of `current`.",
  },
  invalid_source_map: {
    cause: "What was sent is not JSON of a source map of version 3, or has more in it than is decoded.",
    remedy: "Send the .map files of the bundler as they are. A map with 2,000,000 mappings or more is too large.",
  },
  source_maps_too_large: {
    cause: "A source map has more than 32 MiB, or all of the request more than 100 MB.",
    remedy: "Leave out sourcesContent, as lodge sourcemaps upload does, or send fewer maps at a time.",
  },
  hash_not_found: {
    cause: "There is no such hash in the problem, or none would be left in it.",
    remedy: "Load the problem again: somebody may have split or merged it.",
  },
  link_expired: {
    cause: "A signed link is older than it may be.",
    remedy: "Take a new one: from the dashboard, or by sending the delivery again.",
  },
  range_not_satisfiable: {
    cause: "The `Range` begins behind the last byte.",
    remedy: "`Content-Range` says how many bytes there are.",
  },
  invalid_reply_token: {
    cause: "The token is missing, malformed, or of another thread or device.",
    remedy: "Send the token that came with this very thread or device.",
  },
  thread_not_found: {
    cause: "There is no such thread, or whoever asks has no part in it.",
    remedy: "Ask which threads the device has.",
  },
  invalid_runner_token: {
    cause: "The `Authorization` header is missing or malformed, or there is no runner with this token.",
    remedy: "Send `Authorization: Bearer ldgrun_…`, as `lodged apply` printed it when it made the runner.",
  },
  lease_lost: {
    cause:
      "No heartbeat came in time and the run was given to another runner, or it was cancelled, or has ended; or the runner never had it.",
    remedy: "End the run's processes, and push nothing. Take another run.",
  },
  log_gap: {
    cause: "Entries were to be appended at an offset behind the end of the log.",
    remedy: "Send those from `length` on.",
  },
  hook_not_found: {
    cause: "The webhook was deleted, or its id is wrong.",
    remedy: "List the webhooks with `GET /api/dashboard/hooks`.",
  },
  runner_not_found: {
    cause: "The runner was revoked, or its id is wrong.",
    remedy: "List the runners with `GET /api/dashboard/runners`.",
  },
  runner_name_taken: {
    cause: "Runs show the name of their runner, so no two of an organisation have the same.",
    remedy: "Choose another name, or revoke the other runner.",
  },
  run_not_found: {
    cause: "There is no such run in the organisation, or its ticket was deleted.",
    remedy: "Fetch the list of runs again.",
  },
  run_not_held: {
    cause: "The run is not held, or it is held for what comes by itself: credits, or a repository for its ticket.",
    remedy: "Add credits, or choose a repository on the card; the run then goes on within seconds.",
  },
  run_ended: {
    cause: "The run had ended before it was cancelled.",
    remedy: "Assign the ticket to the agent again for another run.",
  },
  thread_closed: {
    cause: "The team has closed the thread: it can be read, and not be written to.",
    remedy: "Send a new report.",
  },
  delivery_not_found: {
    cause: "There is no delivery with this id in the organisation.",
    remedy: "The page of an event lists its deliveries.",
  },
  subscriber_not_found: {
    cause: "There is no subscriber with this id in the organisation, or a secret is asked of one that is no webhook.",
    remedy: "The Subscribers page lists them.",
  },
  subscriber_exists: {
    cause: "The app has a subscriber of this kind with this address, or for this board.",
    remedy: "Change that one, or enable it.",
  },
  replay_not_found: {
    cause: "There is no replay with this id in the organisation.",
    remedy: "The page of a subscriber lists its replays.",
  },
  replay_running: {
    cause: "A subscriber has one replay at a time, and this one's has not come to its end.",
    remedy: "Wait for it, or cancel it on the page of the subscriber.",
  },
  delivery_settled: {
    cause: "It was delivered, given up or skipped meanwhile.",
    remedy: "Nothing is left to skip; it can be sent again.",
  },
  subscriber_disabled: {
    cause: "The subscriber was disabled by a person, because it answered 410, or because it has failed for 5 days.",
    remedy: "Enable it, then send again.",
  },
  rate_limit_exceeded: {
    cause:
      "Too many requests within a minute: 60 for each API token, replays and refusals among them; for SDK keys and addresses where the server was set so.",
    remedy: `${retryAfter} Jobs that start together are best spread out.`,
  },
  bad_request: {
    cause: "What came was not well-formed HTTP, or its address and headers have more than 16 KiB together.",
    remedy: "Look at the client and at what stands between it and the server.",
  },
  not_found: {
    cause: "There is nothing at this address: it is mistyped, or this server does not serve that part of Lodge.",
    remedy: "Compare the path, and the base address: tickets and reports can have different ones.",
  },
  method_not_allowed: {
    cause: "There is something at this address, but not for this method.",
    remedy: "`Allow` lists the methods. A redirect that turned a POST into a GET is a common cause.",
  },
  forbidden: {
    cause: "Owners and admins may do this, or a signed link does not belong to what is asked for.",
    remedy: "Ask an admin of the organisation, or take the link as it was given.",
  },
  request_timeout: {
    cause: "The request stalled, or came too slowly.",
    remedy: "Send it again, with the same `Idempotency-Key` or `reportId`.",
  },
  unavailable: {
    cause:
      "The database or the store cannot be reached, a disk is full, or more requests wait than can be answered in time.",
    remedy: retryAfter,
  },
  internal_error: {
    cause: "A fault of the server's. Nothing was written.",
    remedy:
      "Send it again with the same `Idempotency-Key` or `reportId`. Where it stays, who runs the server finds `requestId` in the log.",
  },
};
