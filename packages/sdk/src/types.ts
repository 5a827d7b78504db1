/** The kinds of reports. */
export type ReportKind = "bug" | "crash" | "feedback" | "question" | "other";

/** The kinds of attachments. */
export type AttachmentKind = "screenshot" | "log" | "recording" | "other";

/** The user of the app who sends a report. */
export type User = { id?: string; email?: string; name?: string };

/** The build of the app that a report comes from. */
export type App = { version?: string; build?: string; environment?: string; release?: string };

/** A breadcrumb of a report. */
export type Breadcrumb = { at: string; category: string; message: string; level?: string; data?: unknown };

/** A part that was left out before sending, with the reason. For a report that the queue lost, `partName` is its id. */
export type Dropped = { partName: string; reason: string; byteLength?: number };

/** An attachment: at most five per report, each at most 25 MiB (interface section 8). */
export type Attachment = {
  /** The file name for downloads. */
  name: string;
  data: Blob | Uint8Array | string;
  /** The media type; defaults to that of the Blob. */
  contentType?: string;
  kind?: AttachmentKind;
};

/** An attachment as its envelope declares it (interface section 2.4). */
export type DeclaredAttachment = {
  partName: string;
  sha256: string;
  byteLength: number;
  filename?: string;
  contentType?: string;
  kind?: AttachmentKind;
};

/** A report as it is sent (interface section 2.4, contract section 3). */
export type Envelope = {
  reportId: string;
  attachments?: DeclaredAttachment[];
  kind?: ReportKind;
  title?: string;
  message?: string;
  occurredAt?: string;
  installId?: string;
  user?: User;
  app?: App;
  device?: {
    model?: string;
    os?: string;
    osVersion?: string;
    locale?: string;
    screen?: string;
    userAgent?: string;
  };
  sdk?: { name: string; version: string };
  error?: { type: string; message: string; stack?: string };
  debugIds?: Record<string, string>;
  breadcrumbs?: Breadcrumb[];
  tags?: Record<string, string>;
  context?: Record<string, unknown>;
  fingerprint?: string[];
  dropped?: Dropped[];
};

/** The server's response for a stored report (interface section 2.5). */
export type Receipt = {
  status: "received";
  eventId: string;
  deliveryCount: number;
  /** Whether the server had received the report before: an earlier attempt arrived, but its response did not. */
  idempotent: boolean;
  thread?: { id: string; token: string; url: string };
  device?: { id: string; token: string };
};

/** The app's client configuration on the server (contract section 3). */
export type Config = {
  appId: string;
  enabled: boolean;
  replies: { enabled: boolean };
  limits: { requestBytes: number; envelopeBytes: number; attachmentBytes: number; attachments: number };
  kinds: ReportKind[];
  /** The app's own settings. */
  settings: Record<string, unknown>;
};

/** A report to send; all fields are optional. */
export type Report = {
  /** One line, cut at 200 characters. */
  title?: string;
  /** The reporter's description, cut at 20,000 characters. */
  message?: string;
  /** Defaults to `crash` with an `error`, and to `bug` without. */
  kind?: ReportKind;
  /** The thrown value, preferably an Error. Its causes are sent too. */
  error?: unknown;
  /** Values to filter and group by: at most 50 tags. */
  tags?: Record<string, string>;
  /** Any data that JSON can represent; other values are described in words. */
  context?: Record<string, unknown>;
  /** The fingerprint of the problem, if the error alone does not identify it: at most 10 strings of 200 characters. */
  fingerprint?: string[];
  attachments?: Attachment[];
  /** Whether to attach a screenshot from `capture.screenshot`. */
  screenshot?: boolean;
};

/** A report that is in the queue. */
export type Handed = {
  reportId: string;
  /**
   * Resolves with the server's response, perhaps much later. Rejects with a `LodgeError` if the report is not stored;
   * its code is the server's, or `left_out`, `dropped` or `closed`. May be ignored.
   */
  receipt: Promise<Receipt>;
};

/** The state of the queue. */
export type Status = {
  /** The number of reports in the queue, including those of other tabs with this key. */
  queued: number;
  /** The size of the queue in bytes. */
  bytes: number;
  /**
   * `sending`: a request is in progress. `waiting`: for a report, the network or the next retry. `suspended`: the
   * organisation is suspended; sends nothing until the next session. `blocked`: the server could not be reached six
   * times; sends nothing until the next session. `off`: closed, disabled by the app's configuration, or the key is
   * refused.
   */
  state: "sending" | "waiting" | "suspended" | "blocked" | "off";
};

/** The place and limits of the queue. */
export type QueueOptions = {
  /** In Node, the folder of the queue. Defaults to a folder for each key in `~/.lodge`. */
  directory?: string;
  /** Defaults to 50 MB. */
  bytesMax?: number;
  /** Defaults to 14 days. Older reports are dropped. */
  ageMaxDays?: number;
};

/** Reports to one app. */
export type Lodge = {
  /**
   * Queues a report. Resolves when it is in the queue, where it survives a reload or crash. Rejects with a `LodgeError`
   * `closed` after `close()`.
   */
  report: (report: Report) => Promise<Handed>;
  /**
   * Sends the queue without the retry delay, except for a `Retry-After` of the server. Resolves with true once the
   * queue is empty, or with false if sending is disabled or after `timeoutMs` (30,000).
   */
  flush: (options?: { timeoutMs?: number }) => Promise<boolean>;
  /** Stops the SDK. Queued reports stay for the next session. */
  close: () => Promise<void>;
  status: () => Status;
  /** The app's client configuration, at most an hour old. Rejects with a `LodgeError` if it cannot be fetched. */
  config: () => Promise<Config>;
};
