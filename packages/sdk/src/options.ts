import type { Platform } from "./platform.ts";
import type { Answer, Service } from "./service.ts";
import type { Store } from "./store.ts";
import type { App, Envelope, QueueOptions, Receipt, Status, User } from "./types.ts";

/** The functions of a `Lodge` that an extension gets. */
export type Core = {
  platform: Platform;
  /** The prefix of the names of locks and channels that tabs with this key share. */
  name: string;
  service: Service;
  bodyOf: <T>(answer: Answer | undefined) => T;
  store: Store;
  /** Aborted by `close()`. */
  ending: AbortSignal;
};

/** Adds methods to a `Lodge`. `replies()` of `@lodge/sdk/replies` returns one. */
export type Extension<Extra> = (core: Core) => {
  methods: Extra;
  /** Called with each receipt before its report leaves the queue, in the tab that sent it. Must not reject. */
  received: (receipt: Receipt) => Promise<void>;
};

/** The options of `createLodge`. */
export type Options<Extra = unknown> = {
  /** The address of Lodge, or a path on the page's own origin that a proxy forwards to Lodge. */
  ingestUrl: string;
  /** The app's SDK key (`ldgpub_…`), which is public. Never an API token. */
  key: string;
  app?: App;
  /** The user of the reports. A function is called for each report. */
  user?: User | (() => User | undefined);
  queue?: QueueOptions;
  capture?: {
    /**
     * Whether to report uncaught errors and unhandled rejections: the same error at most once a minute, and at most 20
     * errors a minute. V8 then keeps 50 stack frames instead of 10. `sendBeforeExit`: in Node, sends a crash before the
     * process ends, and waits at most 2 seconds for the response. Use it in containers and functions without a disk.
     */
    errors?: boolean | { sendBeforeExit?: boolean };
    /**
     * Whether reports include the last 100 breadcrumbs: console, fetch, XMLHttpRequest, navigation and clicks; in Node
     * the console only. Never records input.
     */
    breadcrumbs?: boolean;
    /** Takes the screenshot of a report with `screenshot: true`. After 5 seconds the report is sent without it. */
    screenshot?: () => Blob | undefined | Promise<Blob | undefined>;
  };
  /**
   * Called with each envelope: returns the envelope to send, or null to discard the report. If it throws, the report is
   * discarded too.
   */
  beforeSend?: (envelope: Envelope) => Envelope | null | Promise<Envelope | null>;
  /**
   * By default, credentials, tokens and card numbers are redacted in all text. A function is called with each redacted
   * text and returns the text to send; false disables redaction. Never applies to attachments, `user` and `app`.
   */
  redact?: boolean | ((text: string) => string);
  /**
   * Query parameters whose values are kept, in addition to built-in ones such as `page` and `lang`. The values of all
   * others become `[redacted]`. true keeps all values except secrets. Has no effect with `redact: false`.
   */
  queryParameters?: readonly string[] | true;
  /** The id of this install; true generates and stores a random one. The monthly active install limit counts them. */
  installId?: boolean | string;
  /** An extension that adds methods. */
  extend?: Extension<Extra>;
  /** Called whenever the status changes. */
  onStatus?: (status: Status) => void;
};
