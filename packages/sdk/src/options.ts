import type { Platform } from "./platform.ts";
import type { Answer, Service } from "./service.ts";
import type { Store } from "./store.ts";
import type { App, Envelope, QueueOptions, Receipt, Status, User } from "./types.ts";

/** The functions of a `Lodge` that an extension gets. */
export type Core = {
  platform: Platform;
  /** Names what the tabs of this key share. */
  name: string;
  service: Service;
  bodyOf: <T>(answer: Answer | undefined) => T;
  store: Store;
  /** Aborted by `close()`. */
  ending: AbortSignal;
};

/** Adds methods to a `Lodge`; `replies` of `@lodge/sdk/replies` makes one. */
export type Extension<Extra> = (core: Core) => {
  methods: Extra;
  /** Called with each receipt before its report leaves the queue, in the tab that has sent it. Must not reject. */
  received: (receipt: Receipt) => Promise<void>;
};

/** How to make a `Lodge`. */
export type Options<Extra = unknown> = {
  /** Where reports go: an address, or a path of the page's own origin that a proxy hands on. */
  ingestUrl: string;
  /** The SDK key of the app: publishable. Never an API token. */
  key: string;
  app?: App;
  /** The user of the reports; a function is asked at every report. */
  user?: User | (() => User | undefined);
  queue?: QueueOptions;
  capture?: {
    /**
     * Whether to report what nobody handles: errors and rejections; each at most once a minute, 20 in all. While it is on,
     * V8 keeps 50 frames of a stack instead of 10. `sendBeforeExit`: in Node, a crash is sent before the process ends,
     * which waits for the answer for at most 2 seconds; for containers and functions whose disk is gone afterwards.
     */
    errors?: boolean | { sendBeforeExit?: boolean };
    /**
     * Whether a report carries the last 100 breadcrumbs: console, fetch, XMLHttpRequest, navigation and clicks; in Node
     * the console alone. Never what is typed.
     */
    breadcrumbs?: boolean;
    /** Makes a screenshot for a report that asks for one, in at most 5 seconds. */
    screenshot?: () => Blob | undefined | Promise<Blob | undefined>;
  };
  /**
   * Has the last word on every envelope: returns what to send, or null to leave the report out. Where it throws, the
   * report is left out as well.
   */
  beforeSend?: (envelope: Envelope) => Envelope | null | Promise<Envelope | null>;
  /**
   * None: credentials, tokens and card numbers are struck out of all text. A function is given what is left, text by
   * text; false strikes out nothing. Attachments, `user` and `app` are sent as they are.
   */
  redact?: boolean | ((text: string) => string);
  /**
   * Query parameters of addresses whose values are kept, beside the built-in ones such as `page` and `lang`; the values
   * of all others become `[redacted]`. true keeps all but secrets. Nothing is struck out with `redact: false`.
   */
  queryParameters?: readonly string[] | true;
  /** Names this install: true makes a random name and keeps it. It is what the monthly active install limit counts. */
  installId?: boolean | string;
  /** An extension with more methods. */
  extend?: Extension<Extra>;
  /** Called whenever the status changes. */
  onStatus?: (status: Status) => void;
};
