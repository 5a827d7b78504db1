// The script of a page with Sentry's clients. The tests bundle it and call the functions in globalThis.
import * as Browser from "@sentry/browser";
import * as Sentry from "@sentry/react";
import { createElement } from "react";
import { createRoot } from "react-dom/client";

/** Starts a client with only the given options. */
globalThis.start = (options) => Sentry.init(options);

/** Starts the browser client without a framework, with a transport that queues events while offline. */
globalThis.startOffline = (options) =>
  Browser.init({ ...options, transport: Browser.makeBrowserOfflineTransport(Browser.makeFetchTransport) });

/** Throws an error that nothing catches. */
globalThis.failLater = () => {
  Sentry.setTag("flow", "checkout");
  Sentry.setUser({ id: "u-1", email: "ada@example.test" });
  Sentry.addBreadcrumb({ category: "cart", message: "added", level: "info" });
  Sentry.getCurrentScope().addAttachment({ filename: "cart.log", data: "a line", contentType: "text/plain" });
  setTimeout(function checkOut() {
    throw new RangeError("nothing in the cart", { cause: new TypeError("no lines") });
  });
};

/** Captures an error, and a reporter's feedback on it. */
globalThis.giveFeedback = async () => {
  const associatedEventId = Sentry.captureException(new Error("seen"));
  Sentry.captureFeedback({ name: "Ada", email: "ada@example.test", message: "It broke.", associatedEventId });
  await Sentry.flush(10_000);
  return associatedEventId;
};

/** Renders a failing component in an error boundary. */
globalThis.renderFailing = () => {
  const Cart = () => {
    throw new TypeError("no cart to render");
  };
  const boundary = createElement(Sentry.ErrorBoundary, { fallback: "Sorry" }, createElement(Cart));
  createRoot(document.querySelector("main")).render(boundary);
};

globalThis.capture = (text) => Browser.captureMessage(text);

/** Sends the same event twice. */
globalThis.sendTwice = async (message) => {
  for (const _ of [1, 2]) Browser.getClient().sendEvent({ event_id: `${"0".repeat(31)}1`, message });
  await Browser.flush(20_000);
};

/** Captures messages one after the other, and waits until each was sent or dropped. */
globalThis.captureAll = async (texts) => {
  for (const text of texts) {
    Browser.captureMessage(text.slice(0, 100), { extra: { list: text.match(/.{1,10000}/g) } });
    await Browser.flush(20_000);
  }
};
