/** The kinds of reports. */
export type ReportKind = "bug" | "crash" | "feedback" | "question" | "other";

/** The kinds of attachments. */
export type AttachmentKind = "screenshot" | "log" | "recording" | "other";

/** The user who sends a report. */
export type User = { id?: string; email?: string; name?: string };

/** Which build of the app it comes from. */
export type App = { version?: string; build?: string; environment?: string; release?: string };

/** The breadcrumbs of a report. */
export type Breadcrumb = { at: string; category: string; message: string; level?: string; data?: unknown };

/**
 * A part that was left out before sending, with the reason. A report that the queue had to give up is named by its
 * reportId.
 */
export type Dropped = { partName: string; reason: string; byteLength?: number };

/** A file to send along: at most five to a report, each at most 25 MiB (interface section 8). */
export type Attachment = {
  /** What to call it when it is downloaded. */
  name: string;
  data: Blob | Uint8Array | string;
  /** Its media type; none: that of the Blob. */
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

/** The server's answer about a stored report (interface section 2.5). */
export type Receipt = {
  status: "received";
  eventId: string;
  deliveryCount: number;
  /** Whether it had been received before: an earlier try got through, and its answer did not. */
  idempotent: boolean;
  thread?: { id: string; token: string; url: string };
  device?: { id: string; token: string };
};

/** The server's configuration of an SDK (contract section 3). */
export type Config = {
  appId: string;
  enabled: boolean;
  replies: { enabled: boolean };
  limits: { requestBytes: number; envelopeBytes: number; attachmentBytes: number; attachments: number };
  kinds: ReportKind[];
  /** The app's own. */
  settings: Record<string, unknown>;
};

/** A report to send; all fields are optional. */
export type Report = {
  /** One line: cut at 200 characters. */
  title?: string;
  /** In the reporter's words: cut at 20,000 characters. */
  message?: string;
  /** None: `crash` where there is an error, else `bug`. */
  kind?: ReportKind;
  /** The thrown value: best an Error, whose causes are sent as well. */
  error?: unknown;
  /** To filter and group by: at most 50. */
  tags?: Record<string, string>;
  /** Anything that can be JSON; what cannot is described. */
  context?: Record<string, unknown>;
  /** The fingerprint of the problem, if the error alone does not identify it: at most 10 strings of 200 characters. */
  fingerprint?: string[];
  attachments?: Attachment[];
  /** Whether to ask `capture.screenshot` for one. */
  screenshot?: boolean;
};

/** A report that is in the queue. */
export type Handed = {
  reportId: string;
  /**
   * The server's answer, however much later. Rejects with a `LodgeError` where there will be no answer: its code is
   * the server's, or `left_out`, `dropped` or `closed`. Nobody has to listen.
   */
  receipt: Promise<Receipt>;
};

/** The state of the queue. */
export type Status = {
  /** Reports in the queue, those of other tabs with this key included. */
  queued: number;
  /** The size of the queued reports. */
  bytes: number;
  /**
   * `sending`: a request is under way. `waiting`: for a report, the network, or the next try. `suspended`: the
   * organisation is over its allowance; quiet until the next session. `blocked`: the server could not be reached six
   * times; quiet until the next session. `off`: closed, switched off by the app's configuration, or the key is refused.
   */
  state: "sending" | "waiting" | "suspended" | "blocked" | "off";
};

/** Where the queue is kept, and how much of it. */
export type QueueOptions = {
  /** In Node: where to keep it; none: a folder of the key in `.lodge` of the user's home. */
  directory?: string;
  /** None: 50 MB. */
  bytesMax?: number;
  /** None: 14 days. */
  ageMaxDays?: number;
};

/** Reports to one app. */
export type Lodge = {
  /**
   * Hands a report over. Resolves when it is in the queue, where neither a reload nor a crash loses it. Rejects with a
   * `LodgeError` `closed` after `close()`.
   */
  report: (report: Report) => Promise<Handed>;
  /**
   * Sends what is queued without waiting for the next try, unless the server has named a time. Resolves with whether all
   * of it has been answered; with false at the latest after `timeoutMs` (30,000).
   */
  flush: (options?: { timeoutMs?: number }) => Promise<boolean>;
  /** Stops; what is queued stays for the next session. */
  close: () => Promise<void>;
  status: () => Status;
  /** The configuration of the app, at most an hour old. Rejects with a `LodgeError` where there is none. */
  config: () => Promise<Config>;
};
