/**
 * The limits of what people and programs send, for forms, statements and schemas alike. Lengths count Unicode code
 * points. This file imports nothing, so that a web page can have a limit without the schemas.
 */

/** Longest title of a ticket (interface section 8), and of a report. */
export const titleLengthMax = 200;

/** Longest description of a ticket (interface section 8). */
export const descriptionLengthMax = 20_000;

/** Longest name: of a token (interface section 8), and of whatever else people name. */
export const nameLengthMax = 80;

/** Shortest and longest password. */
export const passwordLengthMin = 10;
export const passwordLengthMax = 128;

/** Longest e-mail address. */
export const emailLengthMax = 254;

/** Longest address that something is sent to or cloned from. */
export const addressLengthMax = 2000;

/** Longest comment on a ticket. */
export const commentLengthMax = 20_000;

/** Largest image that a description or comment shows: 10 MiB; and most that a person stores in a minute. */
export const imageBytesMax = 10_485_760;
export const imagesPerMinute = 60;

/** Largest file on a ticket: 25 MiB; most files on a ticket, most that a person or token attaches in a minute, longest file name. */
export const ticketAttachmentBytesMax = 26_214_400;
export const ticketAttachmentsMax = 100;
export const ticketAttachmentsPerMinute = 60;
export const filenameLengthMax = 200;

/** Longest text that a board's tickets are filtered by. */
export const filterLengthMax = 200;

/** Shortest and longest text that inboxes are searched for: less has no trigram to look up. */
export const searchLengthMin = 3;
export const searchLengthMax = 200;

/** Longest version, environment or tag (as `name=value`) that inboxes are filtered by; longer ones are cut. */
export const facetLengthMax = 200;

/** Most strings of a report's fingerprint, and the longest (contract section 10). */
export const fingerprintStringsMax = 10;
export const fingerprintLengthMax = 200;

/** Most attempts a minute that a subscriber's rate can be set to. */
export const perMinuteMax = 600_000;

/** The same of a subscriber by e-mail: what is set above it counts as this. */
export const mailsPerMinuteMax = 60;

/** Most values of each kind that a subscriber's filter lists. */
export const filterValuesMax = 50;

/** Longest message of a thread with a reporter, and of a report. */
export const messageLengthMax = 20_000;

/** Most views that a member saves of a board. */
export const boardViewsMax = 50;

/** Most apps of an organisation, most SDK keys of one that are accepted, and most origins that one lists. */
export const appsMax = 200;
export const sdkKeysMax = 50;
export const appOriginsMax = 100;

/** Largest free-form settings of an app, as JSON in UTF-8: every SDK fetches them. */
export const appSettingsBytesMax = 16_384;

/** Most days that an SDK key is accepted beside the one that takes its place. */
export const keyOverlapDaysMax = 365;

/** The largest limits of events of a problem, and the longest time that they are counted in: a day. */
export const spikeEventsMax = 10_000;
export const spikeMinutesMax = 1_440;

/** The maximum of an organisation's own install limit. */
export const installLimitMax = 2_000_000_000;

/** Longest reason that somebody gives for the audit log. */
export const noteLengthMax = 200;

/** Most Git repositories of a project. */
export const repositoriesMax = 100;

/** Most columns of a board. */
export const columnsMax = 100;

/** Most days that a board keeps done tickets, before they are archived. */
export const doneCardDaysMax = 365;

/** Longest problem of a ticket, and most labels of one, each with at most so many characters. */
export const problemLengthMax = 200;
export const labelsMax = 20;
export const labelLengthMax = 50;

/** Most tickets that one request changes or deletes. */
export const bulkTicketsMax = 100;

/** Largest CSV file of tickets, its most rows and columns, and most labels that one creates: 10 MB. */
export const csvBytesMax = 10_000_000;
export const csvRowsMax = 10_000;
export const csvColumnsMax = 200;
export const csvLabelsMax = 500;
/** Most CSV files that a person imports or previews in a minute; most problems and unknown names that are listed of one. */
export const csvFilesPerMinute = 30;
export const csvProblemsMax = 20;

/** The number of days within which an import of a CSV file can be undone. */
export const importDays = 30;

/** Most relations of a ticket, and most numbers of tickets that one request looks up. */
export const relationsMax = 100;
export const lookedUpNumbersMax = 50;

/** The number of days that a deleted ticket stays in the trash of its project. */
export const trashDays = 30;

/** Most tickets that move to another column when theirs is deleted. */
export const movedCardsMax = 10_000;

/** Most credits that an organisation has, and that one request adds. */
export const creditsMax = 1_000_000_000;

/** Most runs that one ticket gets without a person's release. */
export const runsOfTicketMax = 10;

/** Most webhooks of an organisation. */
export const hookProjectsMax = 100;
export const hooksMax = 10;

/** Most runners of an organisation, and the largest budget of runs that a token has for a day. */
export const runnersMax = 1_000;
export const runsPerDayMax = 1_000_000;

/** The seconds that a runner keeps a run without a heartbeat. */
export const runLeaseSeconds = 25;

/** The longest wait of a request for a run, in seconds. */
export const takeWaitSecondsMax = 25;

/** Most entries of a run's log in one request, the longest of them, most in all, and their bytes in UTF-8 in all. */
export const runLogEntriesMax = 200;
export const runLogTextLengthMax = 16_384;
export const runLogLengthMax = 20_000;
export const runLogBytesMax = 4_194_304;

/** Longest summary or question of a run, and longest patch. */
export const runSummaryLengthMax = 10_000;
export const runPatchLengthMax = 1_000_000;
export const pullRequestErrorLengthMax = 1_000;

/** Largest request body of a runner: a log entry of 16,384 code points for each of 200 would have more. */
export const runnerBodyBytesMax = 8_388_608;

/** Longest `after` of the events that a program asks for. */
export const eventCursorLengthMax = 100;

/** Longest `position` of a ticket. */
export const positionLengthMax = 100;

/** Longest `Idempotency-Key` (interface section 8). */
export const idempotencyKeyLengthMax = 255;

/** Largest request body of the ticket API: 1 MiB. */
export const ticketBodyBytesMax = 1_048_576;

/** Largest request body of the dashboard: 256 KiB. */
export const dashboardBodyBytesMax = 262_144;

/** Changes a minute that a person makes in the dashboard: ten a second is no longer a person but a program. */
export const dashboardWritesPerMinute = 600;

/** Largest request body that posts a message to a thread: 20,000 code points escaped as JSON fit. */
export const messageBodyBytesMax = 262_144;

/** Largest envelope after decompression: 5 MB (interface section 8). */
export const envelopeBytesMax = 5_000_000;

/** Most values in an envelope: each object, list, string, number, true, false and null counts as one, wherever it is. */
export const envelopeValuesMax = 200_000;

/** How deep the objects and lists of an envelope may lie in one another. */
export const envelopeDepthMax = 100_000;

/** Most attachments of a report (interface section 8). */
export const attachmentsMax = 5;

/** Largest attachment: 25 MiB (interface section 8). */
export const attachmentBytesMax = 26_214_400;

/** Largest request that submits a report: 25 MB (interface section 8). */
export const requestBytesMax = 25_000_000;

/** Largest source map, and largest request that uploads some: 32 MiB and 100 MB. */
export const sourceMapBytesMax = 33_554_432;
export const sourceMapRequestBytesMax = 100_000_000;

/** Most source maps of one request. */
export const sourceMapsMax = 200;

/** Longest path of a bundled file. */
export const bundledFileLengthMax = 500;

/** Most files of a report whose debug ids it tells. */
export const debugIdsMax = 50;

/** Longest platform of a report, most causes of its error, and most frames of each. */
export const platformLengthMax = 50;
export const causesMax = 10;
export const framesMax = 250;

/** Longest reportId, and longest installId. */
export const reportIdLengthMax = 200;
export const installIdLengthMax = 100;
