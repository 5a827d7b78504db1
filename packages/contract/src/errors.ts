/** The only definition of an error code, for the server, the documents and the dashboard. */
type ErrorEntry = {
  /** The HTTP status of the response. */
  status: number;
  /** The `message` of the body: what is wrong, then what to do. Plain text, for people. */
  message: string;
  /** When the server returns it, in Markdown. */
  cause: string;
  /** How to solve it, in Markdown. */
  remedy: string;
};

const retryAfter =
  "Wait for the number of seconds in `Retry-After`, then retry with the same `Idempotency-Key` or `reportId`.";
const doNotRetry = "Do not retry: the same request gets the same response.";

/**
 * Every error code that a response body can carry in `error` (interface section 7). Clients match on the code, not on the
 * status alone.
 */
export const errors = {
  // Ticket API, interface section 7.1
  invalid_input: {
    status: 400,
    message: "Invalid request. See `details` for what to fix.",
    cause:
      "The body is not valid JSON, is larger than 1 MiB, or has a field that is missing, unknown, too long or of the wrong type. Unknown fields are rejected so that typos do not go unnoticed.",
    remedy: "Fix the values that `details` lists: at most eight, each with a JSON Pointer and a message.",
  },
  project_required: {
    status: 400,
    message: "The token has access to more than one project. Choose one with projectId.",
    cause: "The token has access to more than one project, and the request does not say which one to use.",
    remedy:
      "Send `projectId`, or use `--project` on the command line. `GET /api/v1/projects` lists the projects. You can also limit the token to one project.",
  },
  invalid_date_range: {
    status: 400,
    message: "startsAt is later than dueAt. Send an earlier startsAt or a later dueAt.",
    cause: "`startsAt` is later than `dueAt`.",
    remedy: "Send an earlier `startsAt` or a later `dueAt`, or leave one of them out.",
  },
  not_a_member: {
    status: 400,
    message: "The user is not a member of the organisation. Choose a member.",
    cause: "The user to assign or mention is not a member of the organisation.",
    remedy: "Choose a member. `GET /api/v1/projects` lists all members, including the AI agent.",
  },
  invalid_agent_repository: {
    status: 400,
    message:
      "The repository (agentRepositoryId) does not belong to the project. Choose one of the project's repositories.",
    cause: "`agentRepositoryId` is not the id of one of the repositories of the ticket's project.",
    remedy: "Send the id of one of the project's repositories, or leave it out if the project has only one.",
  },
  invalid_idempotency_key: {
    status: 400,
    message: "The Idempotency-Key header is empty or too long. Send 1 to 255 characters.",
    cause: "The `Idempotency-Key` header is empty or longer than 255 characters.",
    remedy: "Send 1 to 255 characters, the same in every retry. If your key is longer, send a hash of it.",
  },
  invalid_api_token: {
    status: 401,
    message: "The API token is missing or invalid. Send a valid one as Authorization: Bearer <API_TOKEN>.",
    cause:
      "The `Authorization` header is missing or malformed, or the token is unknown or revoked. The response is the same in each case.",
    remedy:
      "Send `Authorization: Bearer ldg_…`. Check in the dashboard, under API tokens, that the token still exists. Revoke and replace a lost token. SDK keys do not work here.",
  },
  insufficient_scope: {
    status: 403,
    message: "The token lacks the permission named in `required`. Ask an admin to add it.",
    cause: "The token is valid, but does not have the permission named in `required`.",
    remedy: "Ask an admin to add the permission to the token in the dashboard. It applies from the next request.",
  },
  project_not_found: {
    status: 404,
    message: "There is no such project, or you have no access to it. Check the project's id.",
    cause:
      "The project does not exist, or the token has no access to it, or the token has access to no project at all. The response is the same in each case.",
    remedy:
      "Check that `GET /api/v1/projects` lists the id. If it does not, check the token's projects in the dashboard.",
  },
  board_not_found: {
    status: 404,
    message: "There is no such board in the project. Check the board's id.",
    cause: "The board does not exist, or belongs to another project.",
    remedy: "Send the id of one of the project's boards, or leave it out to use the first board.",
  },
  column_not_found: {
    status: 404,
    message: "There is no such column on the board. Check the column's id.",
    cause: "The column does not exist, or belongs to another board. Without `boardId`, the first board is used.",
    remedy: "Send the `boardId` of the column's board as well, or leave out `columnId` to use the leftmost column.",
  },
  // Ingestion, interface section 7.2
  schema_validation_failed: {
    status: 400,
    message: "The envelope does not match its schema. See `details` for what to fix.",
    cause:
      "The envelope does not match its schema: it has an unknown top-level key, a value of the wrong type or a text that is too long.",
    remedy: `Fix the values that \`details\` lists, each with a JSON Pointer. The schema is \`docs/envelope.schema.json\`. ${doNotRetry}`,
  },
  envelope_too_large: {
    status: 400,
    message: "The envelope is larger than 5 MB after decompression. Send large data as attachments.",
    cause: "The envelope is larger than 5,000,000 bytes after decompression.",
    remedy: `Send large data as an attachment, or leave it out. ${doNotRetry}`,
  },
  attachment_missing: {
    status: 400,
    message: "The envelope declares the part named in `partName`, but the part is missing. Send every declared part.",
    cause: "The envelope declares an attachment, but the request has no part with its `partName`.",
    remedy: `Send one part for each entry of \`attachments\`, under its \`partName\`. ${doNotRetry}`,
  },
  attachment_unexpected: {
    status: 400,
    message:
      "The part named in `partName` is not declared in the envelope, was sent twice, or is the sixth attachment. Declare each part once, and send at most five.",
    cause: "A part is not declared in the envelope, was sent twice, or is the sixth attachment.",
    remedy: `Declare each part once in \`attachments\`, and send at most five. ${doNotRetry}`,
  },
  envelope_part_missing: {
    status: 400,
    message: "The request has no part named envelope. Send the report's JSON in that part.",
    cause: "The form has parts, but none is named `envelope`.",
    remedy: `Send the report's JSON in a part named \`envelope\`. ${doNotRetry}`,
  },
  envelope_invalid_json: {
    status: 400,
    message: "The part named envelope is not JSON in UTF-8, or cannot be gunzipped. Send plain or gzipped JSON.",
    cause: "The part named `envelope` is not JSON in UTF-8, or is compressed and cannot be gunzipped.",
    remedy: `Send plain or gzipped JSON. ${doNotRetry}`,
  },
  no_parts: {
    status: 400,
    message: "The request has no parts. Send the report as multipart/form-data with a part named envelope.",
    cause: "The body is empty, or its content type is not `multipart/form-data`.",
    remedy: `Send a form with a part named \`envelope\`. Let your HTTP library set \`Content-Type\`, because it includes the boundary. ${doNotRetry}`,
  },
  invalid_multipart: {
    status: 400,
    message: "The body is not well-formed multipart/form-data. Use an HTTP library to write the form.",
    cause:
      "The body is not well-formed multipart, ends early, cannot be decoded, or has a `Content-Encoding` other than `gzip`, `deflate`, `br` and `zstd`.",
    remedy: `Use an HTTP library to write the form. ${doNotRetry}`,
  },
  invalid_sentry_envelope: {
    status: 400,
    message: "Lodge cannot read the envelope. See `details` for what to fix.",
    cause:
      "A Sentry client sent an invalid envelope: its framing or JSON is broken, it ends early, it cannot be decoded, or it has more than one event.",
    remedy: `Fix the parts of the body that \`details\` names. Send each event in its own envelope. ${doNotRetry}`,
  },
  app_disabled: {
    status: 403,
    message: "The app is disabled. Enable it in the dashboard, or remove the DSN from the application.",
    cause:
      "The app is disabled in the dashboard. Sentry clients do not request the configuration, so they get this error instead.",
    remedy: `Enable the app in the dashboard, or remove the DSN. ${doNotRetry}`,
  },
  sha256_mismatch: {
    status: 400,
    message: "The part named in `partName` does not match its Content-Digest header. Compute the digest again.",
    cause: "The bytes of the part named in `partName` do not match the part's `Content-Digest` header.",
    remedy: `Compute the digest of the bytes as they are sent, after compression. ${doNotRetry}`,
  },
  bytelength_mismatch: {
    status: 400,
    message:
      "The attachment named in `partName` has more or fewer bytes than its declared byteLength. Count its bytes again.",
    cause: "The attachment named in `partName` has more or fewer bytes than its `byteLength` declares.",
    remedy: `Count bytes, not characters. Copy a file that may grow before you send it. ${doNotRetry}`,
  },
  attachment_sha256_mismatch: {
    status: 400,
    message: "The attachment named in `partName` does not match its declared sha256. Hash its bytes again.",
    cause: "The bytes of the attachment named in `partName` do not match its declared `sha256`.",
    remedy: `Hash the bytes as they are sent. ${doNotRetry}`,
  },
  invalid_sdk_key: {
    status: 401,
    message: "The SDK key is missing or invalid. Send a valid one as Authorization: Bearer <SDK_KEY>.",
    cause: "The `Authorization` header is missing or malformed, or the SDK key is unknown or revoked.",
    remedy: "Send `Authorization: Bearer ldgpub_…` with the app's SDK key. API tokens do not work here.",
  },
  org_suspended: {
    status: 403,
    message: "Ingestion is suspended because the organisation exceeds its install limit. Do not retry.",
    cause:
      "The organisation exceeded its monthly limit of active installs in two consecutive calendar months and then in a third. Reports have been refused since the date in `since`, and are not stored.",
    remedy:
      "Do not retry. Ingestion resumes when a month ends within the limit, or immediately after an upgrade to a larger plan. `GET /api/config` keeps working.",
  },
  attachment_too_large: {
    status: 413,
    message:
      "One attachment is larger than the attachment limit (26,214,400 bytes by default). Shorten or compress it.",
    cause:
      "A single attachment has, or declares in `byteLength`, more than 26,214,400 bytes (25 MiB). `LODGE_INGEST_ATTACHMENT_BYTES` changes this limit. By default, such an attachment also exceeds the limit for the whole request. The code is then `payload_too_large`, unless the envelope comes before the attachment and declares its size.",
    remedy: `Shorten or compress the attachment, so that the whole request fits into 25,000,000 bytes. \`GET /api/config\` returns both limits. ${doNotRetry}`,
  },
  payload_too_large: {
    status: 413,
    message:
      "The whole request is larger than the request limit (25,000,000 bytes by default). Send fewer or smaller attachments.",
    cause:
      "All parts of the request together have more than 25,000,000 bytes (25 MB), as sent or after decoding its `Content-Encoding`. `LODGE_INGEST_REQUEST_BYTES` changes this limit. Sentry clients also get this code for an event larger than 5,000,000 bytes.",
    remedy: `Send fewer or smaller attachments. \`GET /api/config\` returns the limit as \`limits.requestBytes\`. ${doNotRetry}`,
  },
  // The dashboard's API
  not_signed_in: {
    status: 401,
    message: "You are not signed in. Sign in first.",
    cause: "The request has no session, or its session has ended.",
    remedy: "Sign in. Programs use the ticket API with an API token instead.",
  },
  wrong_credentials: {
    status: 401,
    message: "The e-mail address or the password is wrong. Try again.",
    cause: "No account has this e-mail address and this password.",
    remedy: "Try again, or request a password link on the sign-in page. The operator can also set a new password.",
  },
  untrusted_origin: {
    status: 403,
    message: "The request came from another site. Open the dashboard at its own URL.",
    cause: "A page on another site sent a write request to the dashboard's API.",
    remedy: "Open the dashboard at its own URL. Behind a proxy, set `LODGE_BASE_URL` to the URL that browsers use.",
  },
  no_organisation: {
    status: 403,
    message: "No organisation is selected. Choose one of yours, or ask for an invitation.",
    cause: "The session has no active organisation, or the person was removed from it.",
    remedy: "Switch to another organisation, or ask for an invitation.",
  },
  organisation_not_found: {
    status: 404,
    message: "There is no such organisation, or you are not a member of it. Choose another one.",
    cause: "The organisation does not exist, or the person is not a member of it.",
    remedy: "Choose an organisation that the session lists.",
  },
  already_set_up: {
    status: 409,
    message: "This Lodge is already set up. Sign in, or ask for an invitation.",
    cause: "The first owner already exists.",
    remedy: "Sign in, or ask an owner for an invitation.",
  },
  member_not_found: {
    status: 404,
    message: "There is no such member. Reload the list of members.",
    cause: "The organisation has no such member.",
    remedy: "Reload the list of members: somebody may have removed this one.",
  },
  last_owner: {
    status: 409,
    message: "An organisation needs at least one owner. Make somebody else an owner first.",
    cause: "The change would leave the organisation without an owner.",
    remedy: "Make somebody else an owner first.",
  },
  agent_is_fixed: {
    status: 409,
    message:
      "The organisation's AI agent cannot be changed or removed. To keep it from starting runs, leave the organisation without credits.",
    cause: "The AI agent is not a person: its role cannot be changed, and it cannot be removed.",
    remedy: "Leave the agent as it is. Without credits, the agent cannot start runs.",
  },
  already_a_member: {
    status: 409,
    message: "This person is already a member. Change their role instead.",
    cause: "The invited person is already a member of the organisation.",
    remedy: "Change the member's role instead.",
  },
  invitation_not_found: {
    status: 404,
    message:
      "There is no such invitation: it was accepted, revoked, replaced by a newer one, or has expired. Ask for a new one.",
    cause:
      "The invitation was accepted, revoked, replaced by a newer one, or has expired, or the inviter is no longer allowed to invite people.",
    remedy: "Ask an admin for a new invitation.",
  },
  person_elsewhere: {
    status: 409,
    message:
      "The invited person has an account in another cell of this Lodge. Ask its operator to move one of the organisations.",
    cause:
      "This installation has several cells, and all organisations of a person must be in one cell. The invited person's account and the organisation are in different cells.",
    remedy:
      "Ask the operator to move this organisation to the cell of the person's account, or the person's other organisations to the cell of this one: `lodged cell move ORGANISATION CELL`.",
  },
  invited_somebody_else: {
    status: 403,
    message: "The invitation is for another e-mail address. Sign in as the invited person.",
    cause: "The invitation is for a different e-mail address from that of the signed-in person.",
    remedy: "Sign out, open the link again, and sign in as the invited person.",
  },
  token_not_found: {
    status: 404,
    message: "There is no such token, or it is revoked. Reload the list of tokens.",
    cause: "The API token does not exist, or is revoked.",
    remedy: "Reload the list of tokens.",
  },
  token_name_taken: {
    status: 409,
    message: "Another token has this name. Choose another name.",
    cause: "Another active token of the organisation has this name. Names are unique because tickets show them.",
    remedy: "Choose another name, or revoke the other token first.",
  },
  ticket_not_found: {
    status: 404,
    message: "There is no such ticket. Check its id.",
    cause: "The ticket does not exist, or the caller has no access to it. The response is the same in both cases.",
    remedy: "Check the id, and the projects that the token has access to.",
  },
  ticket_changed: {
    status: 412,
    message: "The ticket has changed since you read it. Read it again, then repeat the change.",
    cause: "`If-Match` names an `ETag` that the ticket no longer has.",
    remedy: "Read the ticket again, and repeat the change with its new `ETag`.",
  },
  relation_not_found: {
    status: 404,
    message: "There is no such relation. Reload the card.",
    cause: "The tickets are not related, or one of them was deleted.",
    remedy: "List the relations of the ticket again.",
  },
  already_related: {
    status: 409,
    message: "The cards are related already. Remove that relation first.",
    cause: "The tickets are related already, or the ticket is a duplicate of another one.",
    remedy: "Remove that relation first.",
  },
  duplicate_cycle: {
    status: 409,
    message: "The other card is a duplicate of this one. Choose another card.",
    cause: "The other ticket is a duplicate of this one, directly or through other tickets.",
    remedy: "Choose another ticket, or remove the relation between them first.",
  },
  too_many_relations: {
    status: 409,
    message: "A card can have at most 100 relations. Remove one that you no longer need.",
    cause: "One of the tickets already has 100 relations.",
    remedy: "Remove relations that you no longer need.",
  },
  comment_not_found: {
    status: 404,
    message: "There is no such comment. Reload the comments.",
    cause: "The ticket has no such comment, or it was deleted.",
    remedy: "Reload the comments.",
  },
  view_not_found: {
    status: 404,
    message: "You have no such view. Reload your views.",
    cause: "The view was deleted, its board was deleted, or it belongs to another member.",
    remedy: "Reload your views.",
  },
  image_not_found: {
    status: 404,
    message: "There is no such image. It may have been deleted because no text uses it. Upload it again.",
    cause: "The organisation has no such image. Lodge deletes an image when no text of its ticket uses it any more.",
    remedy: "Upload the image again, and use its new URL.",
  },
  image_too_large: {
    status: 413,
    message: "The image is larger than 10 MiB. Make it smaller.",
    cause: "The image is larger than 10 MiB.",
    remedy: "Make it smaller, or host it elsewhere and link to it.",
  },
  file_too_large: {
    status: 413,
    message: "The file is larger than 25 MiB. Compress it or shorten it.",
    cause: "The file is larger than 25 MiB.",
    remedy: "Compress it, send only the part that matters, or store it elsewhere and link to it.",
  },
  attachment_not_found: {
    status: 404,
    message: "There is no such attachment. List the attachments of the ticket again.",
    cause: "The ticket has no such attachment, or it was deleted.",
    remedy: "List the attachments of the ticket again.",
  },
  not_an_image: {
    status: 400,
    message: "This file format is not supported. Send a PNG, JPEG, GIF, WebP or AVIF image.",
    cause:
      "The first bytes of the file are not those of a PNG, JPEG, GIF, WebP or AVIF image. Lodge ignores the content type.",
    remedy: "Convert the file to one of these formats.",
  },
  invalid_csv: {
    status: 400,
    message: "The CSV file cannot be imported. See `details` for what to fix.",
    cause:
      "The file is not CSV in UTF-8, has too many rows or columns or a line that is too long, or some of its tickets cannot be created.",
    remedy:
      "Fix the lines that `details` names and import the file again. Lodge imported none of its tickets. In a spreadsheet, save the file as “CSV UTF-8”.",
  },
  import_not_found: {
    status: 404,
    message: "There is no such import, or it is older than 30 days. Delete its cards on the board instead.",
    cause: "The organisation has no such import, it is older than 30 days, or its board was deleted.",
    remedy: "You can no longer undo the import. Delete its tickets on the board instead.",
  },
  text_not_found: {
    status: 404,
    message: "There is no such version of the text: only the latest versions are kept. Reload the card's history.",
    cause: "The version does not exist. Only the latest versions of each ticket's text are kept.",
    remedy: "Reload the ticket's history.",
  },
  text_changed: {
    status: 409,
    message: "Somebody else changed this text. See `current` for the new text, then save again.",
    cause: "Somebody else changed the text after it was loaded. `current` has the new text.",
    remedy: "Merge your changes into `current`, and save again.",
  },
  app_not_found: {
    status: 404,
    message: "There is no such app. Check its id or slug.",
    cause: "The organisation has no app with this id or slug.",
    remedy: "Compare the id or slug with the apps in the dashboard.",
  },
  key_not_found: {
    status: 404,
    message: "There is no such SDK key, or it is revoked. Reload the list of keys.",
    cause: "The app has no such SDK key, or it is already revoked.",
    remedy: "Compare the id with the app's keys in the dashboard.",
  },
  key_name_taken: {
    status: 409,
    message: "Another SDK key of the app has this name. Choose another name.",
    cause: "The app has another SDK key with this name.",
    remedy: "Choose another name. To get a new key with the same name, replace the key.",
  },
  problem_not_found: {
    status: 404,
    message: "There is no such problem. Search for it in the app's inbox.",
    cause: "The organisation has no such problem, or it was merged into another one.",
    remedy: "Search for it in the app's inbox: it may have been merged into another problem.",
  },
  hash_not_found: {
    status: 404,
    message: "The problem has no such fingerprint, or it is the last one. Reload the problem.",
    cause: "The problem has no such hash, or the request would leave the problem without a hash.",
    remedy: "Reload the problem: somebody may have split or merged it.",
  },
  event_not_found: {
    status: 404,
    message: "There is no such event. Check its id.",
    cause: "The organisation has no such event.",
    remedy: "Check the id, and check that the right organisation is selected.",
  },
  delivery_not_found: {
    status: 404,
    message: "There is no such delivery. Check its id.",
    cause: "The organisation has no such delivery.",
    remedy: "Find the delivery on the page of its event.",
  },
  subscriber_not_found: {
    status: 404,
    message: "There is no such subscriber. Reload the list of subscribers.",
    cause: "The organisation has no such subscriber, or the request needs a webhook and the subscriber is not one.",
    remedy: "Find the subscriber under Settings → Integrations.",
  },
  subscriber_exists: {
    status: 409,
    message:
      "The app already has a subscriber of this kind with this URL, e-mail address or board. Change that one instead.",
    cause: "The app already has a subscriber of this kind with this URL, e-mail address or board.",
    remedy: "Change or enable the existing subscriber.",
  },
  replay_not_found: {
    status: 404,
    message: "There is no such replay. Reload the subscriber's replays.",
    cause: "The organisation has no such replay.",
    remedy: "Find the replay on the page of its subscriber.",
  },
  replay_running: {
    status: 409,
    message: "Another replay to this subscriber is running. Wait until it has finished, or cancel it.",
    cause: "A subscriber can have one replay at a time, and another one is still running.",
    remedy: "Wait until it has finished, or cancel it on the subscriber's page.",
  },
  delivery_settled: {
    status: 409,
    message: "The delivery has already succeeded, failed or been skipped. Resend it if you need it again.",
    cause: "The delivery succeeded, failed permanently or was skipped in the meantime.",
    remedy: "There is nothing left to skip. You can resend the delivery.",
  },
  subscriber_disabled: {
    status: 409,
    message: "The subscriber is disabled. Enable it first.",
    cause:
      "A person disabled the subscriber, or Lodge did because the subscriber responded with 410 or every attempt failed for 5 days.",
    remedy: "Enable the subscriber, then resend the delivery.",
  },
  invalid_source_map: {
    status: 400,
    message: "The part named in `partName` is not a valid source map or mapping file. See `reason` for why.",
    cause:
      "A part is not the JSON of a version 3 source map, or a part named `….txt` is not a ProGuard or R8 mapping file with a UUID " +
      "or a release. A file with more than 2,000,000 mappings is also refused.",
    remedy: "Send the `.map` files as the bundler wrote them, and the `mapping.txt` as R8 wrote it.",
  },
  source_maps_too_large: {
    status: 413,
    message:
      "A source map is larger than 32 MiB, or the request is larger than 100 MB. Send fewer or smaller source maps.",
    cause: "A source map is larger than 32 MiB, or the whole request is larger than 100 MB.",
    remedy: "Remove `sourcesContent`, at least of libraries, or send fewer source maps in one request.",
  },
  regrouping_not_ready: {
    status: 409,
    message:
      "The regrouping is in the wrong state. Apply it after its preview is finished, or undo it after it was applied.",
    cause: "There is no preview yet, or it is still running, or the regrouping was already undone.",
    remedy: "Get the regrouping's state, and wait until it is `planned` (to apply it) or `applied` (to undo it).",
  },
  not_empty: {
    status: 409,
    message: "There are still cards in the project, board or column. Move or archive them first.",
    cause: "The project, board or column to delete still contains tickets that are not archived.",
    remedy: "Move or archive the tickets first.",
  },
  only_archived: {
    status: 409,
    message:
      "There are archived cards in the project, board or column. Restore them, or confirm that you want to delete them as well.",
    cause: "The project, board or column to delete contains archived tickets.",
    remedy: "Restore and move the archived tickets, or send `archived=delete` to delete them as well.",
  },
  too_many_cards: {
    status: 409,
    message: "The column has more than 10,000 cards to move. Move some of them first.",
    cause: "The column to delete has more than 10,000 tickets to move.",
    remedy: "Move some of the tickets first, or archive and delete them.",
  },
  last_column: {
    status: 409,
    message: "A board needs at least one column. Add another column first.",
    cause: "The request would leave the board without a column.",
    remedy: "Add another column first, or delete the board.",
  },
  too_many: {
    status: 409,
    message: "The limit for this kind of item has been reached. Delete one that you no longer need.",
    cause:
      "Lodge limits the number of items of each kind, such as attachments of a ticket or runners of an organisation, and the limit has been reached.",
    remedy: "Delete some that you no longer need.",
  },
  card_moved_away: {
    status: 409,
    message: "The card above the new position is no longer in the column. Reload the column and try again.",
    cause: "The request places the ticket below another one, which somebody has moved or archived in the meantime.",
    remedy: "Reload the column, and choose the position again.",
  },
  too_many_streams: {
    status: 429,
    message: "Lodge is open in too many tabs of this browser. Close one.",
    cause: "One session already has 8 event streams open.",
    remedy: "Close some of the tabs.",
  },
  link_expired: {
    status: 410,
    message: "The link has expired. Get a new one.",
    cause: "The signed link has expired.",
    remedy: "Get a new link from the dashboard, or resend the delivery.",
  },
  range_not_satisfiable: {
    status: 416,
    message: "The requested range starts after the last byte. See Content-Range for the size.",
    cause: "The `Range` header starts after the last byte.",
    remedy: "Read the size from `Content-Range`, and request a range within it.",
  },
  // Replies
  invalid_reply_token: {
    status: 401,
    message:
      "The token is missing or invalid. Send the token of this thread or device as Authorization: Bearer <TOKEN>.",
    cause: "The token is missing or malformed, or belongs to another thread or device.",
    remedy: "Send the token that you received with this thread or device.",
  },
  thread_not_found: {
    status: 404,
    message: "There is no such thread. Check its id.",
    cause: "The thread does not exist, or the caller has no access to it.",
    remedy: "Check the id, or find the thread in the list of threads.",
  },
  thread_closed: {
    status: 409,
    message: "The thread is closed and can only be read. Send a new report instead.",
    cause: "The team closed the thread: it can be read, but not replied to.",
    remedy: "Send a new report.",
  },
  // The agent
  invalid_runner_token: {
    status: 401,
    message: "The runner token is missing or invalid. Send a valid one as Authorization: Bearer <RUNNER_TOKEN>.",
    cause: "The `Authorization` header is missing or malformed, or no runner has this token.",
    remedy: "Send `Authorization: Bearer ldgrun_…`, the token shown when the runner was created.",
  },
  lease_lost: {
    status: 409,
    message: "This runner no longer holds the run's lease. Stop working on it.",
    cause:
      "The run ended, was cancelled, or was given to another runner because heartbeats stopped, or this runner never held its lease.",
    remedy: "Stop the run's processes, push nothing, and take another run.",
  },
  log_gap: {
    status: 409,
    message: "The offset is beyond the end of the log. Send the entries from `length` on.",
    cause: "The offset of the new entries is beyond the end of the log.",
    remedy: "Send the entries from `length` on.",
  },
  hook_not_found: {
    status: 404,
    message: "There is no such webhook. Check its id.",
    cause: "The webhook was deleted, or its id is wrong.",
    remedy: "List the webhooks with `GET /api/dashboard/hooks`.",
  },
  runner_not_found: {
    status: 404,
    message: "There is no such runner, or it is revoked. Check its id.",
    cause: "The runner was revoked, or its id is wrong.",
    remedy: "List the runners with `GET /api/dashboard/runners`.",
  },
  runner_name_taken: {
    status: 409,
    message: "Another runner has this name. Choose another name.",
    cause: "Another runner of the organisation has this name. Names are unique because runs show them.",
    remedy: "Choose another name, or revoke the other runner.",
  },
  view_name_taken: {
    status: 409,
    message: "Another of your views of the board has this name. Choose another name.",
    cause: "You saved another view of the board under this name.",
    remedy: "Choose another name, or delete the other view.",
  },
  label_not_found: {
    status: 404,
    message: "There is no such label. Reload the labels.",
    cause: "The label was renamed, merged or deleted, or its name is wrong.",
    remedy: "List the labels with `GET /api/dashboard/labels`.",
  },
  label_name_taken: {
    status: 409,
    message: "Another label has this name. Choose another name, or merge the labels.",
    cause: "Another label of the organisation has this name, or had it and Lodge is still updating its tickets.",
    remedy: "Choose another name, or merge the label into the other one.",
  },
  run_not_found: {
    status: 404,
    message: "There is no such run. Check its id.",
    cause: "The organisation has no such run, its ticket was deleted, or the run has no patch to download.",
    remedy: "Check the id, or find the run in the list of runs.",
  },
  hook_disabled: {
    status: 409,
    message: "The webhook is disabled. Enable it first.",
    cause: "Lodge sends nothing to a disabled webhook.",
    remedy: "Enable the webhook in the dashboard, then resend the delivery.",
  },
  run_not_held: {
    status: 409,
    message: "The run is not waiting for an admin to start it. Reload the run.",
    cause: "The run is not held, or it waits for credits or a repository and starts automatically once it has them.",
    remedy: "Add credits, or choose a repository on the ticket. The run then starts within seconds.",
  },
  pull_request_not_refused: {
    status: 409,
    message: "No pull request of this run was refused. There is nothing to retry.",
    cause: "The run has a pull request, it never tried to open one, or a runner is already retrying.",
    remedy: "Reload the run.",
  },
  run_ended: {
    status: 409,
    message: "The run has already ended. Assign the card to the agent again to start another run.",
    cause: "The run ended before the request to cancel it arrived.",
    remedy: "Assign the ticket to the agent again to start another run.",
  },
  repository_not_found: {
    status: 404,
    message: "There is no such repository. Check its id.",
    cause: "The organisation has no such repository, or it was removed from its project.",
    remedy: "Compare the id with the repositories on the Organisation page.",
  },
  repository_name_taken: {
    status: 409,
    message: "Another repository of the project has this name. Choose another name.",
    cause: "The project already has a repository with this name.",
    remedy: "Choose another name, or remove the other repository from the project first.",
  },
  repository_in_use: {
    status: 409,
    message: "The agent is working on this repository. Wait until the run has ended, or cancel it.",
    cause: "A run of the agent is using the repository.",
    remedy: "Wait until the run has ended, or cancel it on its ticket.",
  },
  board_has_subscribers: {
    status: 409,
    message:
      "Subscribers create cards on this board or project. Confirm that you want to delete these subscribers as well.",
    cause: "Subscribers create tickets on the board, or on a board of the project, and would be deleted with it.",
    remedy:
      "List them with `GET /api/dashboard/boards/{boardId}/subscribers`. Point them to another board, or send `subscribers=delete`.",
  },
  month_not_over: {
    status: 409,
    message: "The month was within its limit, or no longer counts. There is nothing to exclude.",
    cause: "You can only exclude a month that exceeded its install limit and still counts.",
    remedy: "The page “Usage and plan” shows how each month counts.",
  },
  // Signing in
  session_not_found: {
    status: 404,
    message: "There is no such session. Reload the list of sessions.",
    cause: "The person has no such session: it was ended, or has expired.",
    remedy: "Reload the list of sessions.",
  },
  second_factor_required: {
    status: 401,
    message: "A second factor is required. Send a code from your authenticator app or a recovery code as well.",
    cause: "The password is correct, but the account has two-factor authentication and no code was sent.",
    remedy: "Send the same request with `code`: six digits from the authenticator app, or a recovery code.",
  },
  wrong_code: {
    status: 401,
    message: "The code is wrong, has expired, or was used before. Wait for the next code.",
    cause: "The code is wrong, is older than a minute, or was used before.",
    remedy: "Wait for the app's next code, check the device's clock, or use a recovery code.",
  },
  second_factor_unreadable: {
    status: 401,
    message:
      "This server can no longer check the codes of your authenticator app. Use a recovery code, or have your second factor removed.",
    cause: "The authenticator app's key was encrypted with an earlier `LODGE_SECRET`, which the server no longer has.",
    remedy:
      "Sign in with a recovery code, then remove the second factor on the profile page and set it up again. If you have no recovery codes left, ask an owner or admin to remove your second factor on the members page, or ask the operator to run `lodged second-factor remove EMAIL`. Restoring the former `LODGE_SECRET` makes all codes work again.",
  },
  second_factor_on: {
    status: 409,
    message: "You already have a second factor. Remove it first.",
    cause: "The person already has a second factor.",
    remedy: "Remove it with your password, then set up the new one.",
  },
  second_factor_not_begun: {
    status: 409,
    message: "You have no second factor yet. Start by creating a secret for time-based codes.",
    cause: "The person has no second factor, and has not started to set one up.",
    remedy: "Start with `POST /api/dashboard/profile/totp`.",
  },
  passkey_refused: {
    status: 401,
    message: "The passkey is not registered here, or the request took too long. Try again.",
    cause:
      "The browser's response does not match a challenge of the last five minutes at this URL, or no account has this passkey.",
    remedy: "Try again. Passkeys only work at the URL where they were created: `LODGE_BASE_URL`.",
  },
  passkey_not_found: {
    status: 404,
    message: "There is no such passkey. Reload the list of passkeys.",
    cause: "The person has no such passkey.",
    remedy: "Reload the list: it may have been removed in another window.",
  },
  provider_not_found: {
    status: 404,
    message: "No organisation with this name uses an identity provider. Check the URL.",
    cause: "No organisation has this slug, or the organisation has no identity provider.",
    remedy: "Check the URL that an owner of the organisation gave you.",
  },
  provider_unreachable: {
    status: 400,
    message: "The identity provider cannot be reached, or its response is invalid. Check its issuer URL.",
    cause: "The identity provider's configuration, keys or tokens could not be loaded. The message says why.",
    remedy:
      "Make sure that the issuer's `/.well-known/openid-configuration` responds over HTTPS, at an IP address that this server may connect to. To allow private IP addresses, set `LODGE_WEBHOOK_ALLOWED_NETWORKS`. After a change of `LODGE_SECRET`, an owner must enter the client secret again.",
  },
  provider_refused: {
    status: 401,
    message: "The identity provider did not sign you in. Try again.",
    cause:
      "The identity provider refused the sign-in, or this browser did not start the sign-in in the last ten minutes. The message says which.",
    remedy:
      "Try again. If it fails again, ask an owner to compare the client id, client secret and redirect URI with the provider's settings.",
  },
  provider_needed: {
    status: 403,
    message: "The organisation requires its identity provider. Sign in with it.",
    cause:
      "The organisation requires members to sign in with its identity provider, and this session was not opened with it.",
    remedy:
      "Sign in with the provider at `{base}/sign-in/` followed by the organisation's slug. Owners can also sign in with their password.",
  },
  signed_in_by_provider: {
    status: 403,
    message:
      "Your organisation's identity provider signed you in. Sign in with your own password to change your account.",
    cause: "A session opened by an organisation's identity provider gives access to that organisation only.",
    remedy:
      "Sign out, then sign in with your password. If you have none, request a password link on the sign-in page, or ask an admin.",
  },
  email_not_vouched_for: {
    status: 403,
    message:
      "The identity provider did not confirm that your e-mail address is verified and in one of the organisation's domains. Ask the provider's administrator.",
    cause:
      "The ID token has no `email` with `email_verified: true`, or the address is not in one of the organisation's domains.",
    remedy: "Ask the provider's administrator to send both claims, or an owner to add the domain.",
  },
  no_role: {
    status: 403,
    message: "The identity provider gives you no role in this organisation. Ask an owner for access.",
    cause: "No value of the role claim maps to a role, and the organisation has no default role.",
    remedy: "Ask an owner to change the provider's role mapping, or the provider's administrator to change the claims.",
  },
  second_factor_needed: {
    status: 403,
    message: "The organisation requires two-factor authentication. Set it up in your profile.",
    cause: "The organisation requires two-factor authentication, and the person has not set it up.",
    remedy: "Set it up on the profile page. Everything else works from the next request.",
  },
  password_link_not_found: {
    status: 404,
    message: "The link has expired, or it was used or replaced by a newer one. Ask for a new link.",
    cause:
      "The password link was used, replaced by a newer one, or has expired, or its creator is no longer allowed to create one for this person.",
    remedy: "Ask for a new link.",
  },
  account_of_provider: {
    status: 409,
    message:
      "The identity provider created this account, so it has no password or second factor here. Ask the member to sign in with the provider.",
    cause:
      "The organisation's identity provider created the account at the first sign-in, so it has no password and no second factor.",
    remedy:
      "The person signs in with the identity provider. To give them a password as well, invite them: they get a second account.",
  },
  identity_taken: {
    status: 409,
    message:
      "The identity provider signs you in to another member's account here. Ask an owner or admin to remove that member, then link your account again.",
    cause:
      "You signed in with the identity provider before you linked your account. That sign-in created a separate account for you, which is still a member.",
    remedy: "Ask an owner or admin to remove that member, then link your account again.",
  },
  subscription_not_found: {
    status: 404,
    message: "The link has expired, or it was used or replaced by a newer one. Ask for a new link.",
    cause: "The link that confirms an e-mail subscriber was used, replaced by a newer one, or is older than 7 days.",
    remedy: "Ask an owner or admin of the organisation to send a new link.",
  },
  mail_not_set_up: {
    status: 409,
    message: "This Lodge server does not send e-mail. Ask an admin of your organisation for a link.",
    cause: "The request needs e-mail, and this server is not set up to send it.",
    remedy: "The operator sets `LODGE_SMTP_URL` and `LODGE_MAIL_FROM`. Until then, pass on links in another way.",
  },
  member_elsewhere: {
    status: 409,
    message: "This person belongs to another organisation as well. They must request a new password themselves.",
    cause: "The person is also a member of another organisation, so admins of one cannot reset their password.",
    remedy: "The person requests a link on the sign-in page, or the operator sets a new password with `lodged apply`.",
  },
  // All APIs
  rate_limit_exceeded: {
    status: 429,
    message: "Too many requests. Wait for the number of seconds in Retry-After, then retry.",
    cause:
      "The rate limit is exceeded. Each API token has 60 requests per minute. Retries with an `Idempotency-Key` and refused requests count as well. SDK keys and IP addresses have a rate limit only if the operator sets one.",
    remedy: `${retryAfter} Spread out jobs that start at the same time.`,
  },
  // The service itself
  bad_request: {
    status: 400,
    message: "The request is not well-formed HTTP. Check the client, and any proxy between it and the server.",
    cause: "The request is not well-formed HTTP, or its URL and headers are larger than 16 KiB together.",
    remedy: "Check the client, and any proxy between it and the server.",
  },
  not_found: {
    status: 404,
    message: "There is nothing at this URL. Check the path and the base URL.",
    cause: "The URL is wrong, or this server does not serve this part of Lodge.",
    remedy: "Check the path and the base URL. The ticket API and ingestion can have different base URLs.",
  },
  method_not_allowed: {
    status: 405,
    message: "This URL does not support the method. Use a method that the Allow header lists.",
    cause: "The URL exists, but does not support this method.",
    remedy: "Use a method that `Allow` lists. Redirects often turn a POST into a GET.",
  },
  forbidden: {
    status: 403,
    message: "You are not allowed to do this. Ask an admin of the organisation.",
    cause: "Only owners, admins or the author can do this, or the signed link was changed.",
    remedy: "Ask an admin of the organisation, or use the link without changes.",
  },
  request_timeout: {
    status: 408,
    message: "The request did not arrive in time. Send it again.",
    cause: "The request stalled, or arrived too slowly.",
    remedy: "Retry with the same `Idempotency-Key` or `reportId`.",
  },
  unavailable: {
    status: 503,
    message: "Lodge cannot handle this request right now. Wait for the number of seconds in Retry-After, then retry.",
    cause: "The database or the attachment store cannot be reached, a disk is full, or too many requests are waiting.",
    remedy: retryAfter,
  },
  internal_error: {
    status: 500,
    message: "Something went wrong in the server. Send requestId to its operator.",
    cause: "The server has a bug. Nothing was written.",
    remedy:
      "Retry with the same `Idempotency-Key` or `reportId`. If it fails again, send `requestId` to the operator, who can find it in the log.",
  },
} as const satisfies Record<string, ErrorEntry>;

/** An error code. */
export type ErrorCode = keyof typeof errors;

/** Every error code, in the order of the documents. */
export const errorCodes = Object.keys(errors) as ErrorCode[];

/** One reason why an input was refused: a JSON Pointer (RFC 6901) to the value, and what to do about it. */
export type Problem = { path: string; message: string };
