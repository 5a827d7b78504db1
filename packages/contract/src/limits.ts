/**
 * The limits of input, for forms, SQL statements and schemas. Lengths count Unicode code points. This file imports
 * nothing, so that a web page can use a limit without loading the schemas.
 */

/** Longest title of a ticket (interface section 8), and of a report. */
export const titleLengthMax = 200;

/** Longest description of a ticket (interface section 8). */
export const descriptionLengthMax = 20_000;

/** Longest name of a token (interface section 8) or of anything else that has a name. */
export const nameLengthMax = 80;

/** Shortest and longest password. */
export const passwordLengthMin = 10;
export const passwordLengthMax = 128;

/** Longest e-mail address. */
export const emailLengthMax = 254;

/** Longest URL to send to or clone from. */
export const addressLengthMax = 2000;

/** Longest comment on a ticket. */
export const commentLengthMax = 20_000;

/** Largest image in a description or comment: 10 MiB; most images that a person uploads per minute. */
export const imageBytesMax = 10_485_760;
export const imagesPerMinute = 60;

/** Attachments of a ticket: the largest, 25 MiB; the most; the most per minute of a person or token; the longest file name. */
export const ticketAttachmentBytesMax = 26_214_400;
export const ticketAttachmentsMax = 100;
export const ticketAttachmentsPerMinute = 60;
export const filenameLengthMax = 200;

/** Longest text to filter a board's tickets by. */
export const filterLengthMax = 200;

/** Shortest and longest text to search inboxes for: shorter text has no trigram. */
export const searchLengthMin = 3;
export const searchLengthMax = 200;

/** Longest version, environment or tag (as `name=value`) to filter inboxes by; longer ones are cut. */
export const facetLengthMax = 200;

/** Most strings of a report's fingerprint, and the longest (contract section 10). */
export const fingerprintStringsMax = 10;
export const fingerprintLengthMax = 200;

/** The highest rate limit of a subscriber, in attempts per minute. */
export const perMinuteMax = 600_000;

/** The highest rate of an e-mail subscriber; a higher rate limit counts as this one. */
export const mailsPerMinuteMax = 60;

/** Most values of each kind in a subscriber's filter. */
export const filterValuesMax = 50;

/** Longest message of a thread with a reporter, and of a report. */
export const messageLengthMax = 20_000;

/** Most views that a member can save of a board. */
export const boardViewsMax = 50;

/** Most apps of an organisation, and most active SDK keys and origins of an app. */
export const appsMax = 200;
export const sdkKeysMax = 50;
export const appOriginsMax = 100;

/** Largest settings of an app, in bytes of JSON: every SDK fetches them. */
export const appSettingsBytesMax = 16_384;

/** Most days that a replaced SDK key keeps working. */
export const keyOverlapDaysMax = 365;

/** The largest number of events in a spike limit, and the longest period to count them in: a day. */
export const spikeEventsMax = 10_000;
export const spikeMinutesMax = 1_440;

/** The highest install limit that an organisation can set. */
export const installLimitMax = 2_000_000_000;

/** Longest reason for the audit log. */
export const noteLengthMax = 200;

/** Most Git repositories of a project. */
export const repositoriesMax = 100;

/** Most columns of a board. */
export const columnsMax = 100;

/** Most days before a board archives done tickets. */
export const doneCardDaysMax = 365;

/** Longest problem of a ticket, most labels of a ticket, and longest label. */
export const problemLengthMax = 200;
export const labelsMax = 20;
export const labelLengthMax = 50;

/** Most tickets that one request can change or delete. */
export const bulkTicketsMax = 100;

/** CSV files of tickets: the largest, 10 MB; the most rows, columns and new labels. */
export const csvBytesMax = 10_000_000;
export const csvRowsMax = 10_000;
export const csvColumnsMax = 200;
export const csvLabelsMax = 500;
/** Most CSV files that a person imports or previews per minute; most problems and unknown names listed for a file. */
export const csvFilesPerMinute = 30;
export const csvProblemsMax = 20;

/** The number of days within which an import of a CSV file can be undone. */
export const importDays = 30;

/** Most relations of a ticket, and most ticket numbers in one lookup. */
export const relationsMax = 100;
export const lookedUpNumbersMax = 50;

/** The number of days that a deleted ticket stays in the trash of its project. */
export const trashDays = 30;

/** Most tickets that can move to another column when their column is deleted. */
export const movedCardsMax = 10_000;

/** Most credits of an organisation, and most in one request. */
export const creditsMax = 1_000_000_000;

/** Most runs of a ticket before further runs are held for an admin. */
export const runsOfTicketMax = 10;

/** Most projects of a webhook, and most webhooks of an organisation. */
export const hookProjectsMax = 100;
export const hooksMax = 10;

/** Most runners of an organisation, and the largest daily run limit of a token. */
export const runnersMax = 1_000;
export const runsPerDayMax = 1_000_000;

/** The duration of a run's lease without a heartbeat. */
export const runLeaseSeconds = 25;

/** The longest wait for a run in one request. */
export const takeWaitSecondsMax = 25;

/** A run's log: most entries in one request, longest entry, most entries in total, and total bytes in UTF-8. */
export const runLogEntriesMax = 200;
export const runLogTextLengthMax = 16_384;
export const runLogLengthMax = 20_000;
export const runLogBytesMax = 4_194_304;

/** Longest summary or question of a run, longest patch, and longest error of a pull request. */
export const runSummaryLengthMax = 10_000;
export const runPatchLengthMax = 1_000_000;
export const pullRequestErrorLengthMax = 1_000;

/** Largest request body of a runner. 200 log entries of the maximum length can exceed it. */
export const runnerBodyBytesMax = 8_388_608;

/** Longest `after` in a request for events. */
export const eventCursorLengthMax = 100;

/** Longest `position` of a ticket. */
export const positionLengthMax = 100;

/** Longest `Idempotency-Key` (interface section 8). */
export const idempotencyKeyLengthMax = 255;

/** Largest request body of the ticket API: 1 MiB. */
export const ticketBodyBytesMax = 1_048_576;

/** Largest request body of the dashboard: 256 KiB. */
export const dashboardBodyBytesMax = 262_144;

/** Most changes per minute of a person in the dashboard: ten per second can only be a program. */
export const dashboardWritesPerMinute = 600;

/** Largest request body for a message in a thread: fits 20,000 code points escaped as JSON. */
export const messageBodyBytesMax = 262_144;

/** Largest envelope after decompression: 5 MB (interface section 8). */
export const envelopeBytesMax = 5_000_000;

/** Most values in an envelope: each object, list, string, number, boolean and null counts, at any depth. */
export const envelopeValuesMax = 200_000;

/** The deepest nesting of objects and lists in an envelope. */
export const envelopeDepthMax = 100_000;

/** Most attachments of a report (interface section 8). */
export const attachmentsMax = 5;

/** Largest attachment of a report: 25 MiB (interface section 8), which is more than `requestBytesMax`. */
export const attachmentBytesMax = 26_214_400;

/** Largest request that submits a report, with all its parts: 25 MB (interface section 8). */
export const requestBytesMax = 25_000_000;

/** Largest source map, 32 MiB, and largest request that uploads source maps, 100 MB. */
export const sourceMapBytesMax = 33_554_432;
export const sourceMapRequestBytesMax = 100_000_000;

/** Most source maps in one request. */
export const sourceMapsMax = 200;

/** Longest path of a bundled file. */
export const bundledFileLengthMax = 500;

/** Most debug ids in a report. */
export const debugIdsMax = 50;

/** Longest platform of a report, most causes of its error, and most frames of each error. */
export const platformLengthMax = 50;
export const causesMax = 10;
export const framesMax = 250;

/** Longest reportId, and longest installId. */
export const reportIdLengthMax = 200;
export const installIdLengthMax = 100;
