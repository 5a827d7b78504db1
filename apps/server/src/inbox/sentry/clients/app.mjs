// A Node application with Sentry's client, which reports to SENTRY_DSN.
import * as Sentry from "@sentry/node";

Sentry.init({ release: "shop@1.2.3+45", environment: "staging" });
Sentry.setTag("flow", "checkout");
Sentry.setUser({ id: "u-1", email: "ada@example.test", username: "ada" });
Sentry.addBreadcrumb({ category: "cart", message: "added", level: "info", data: { sku: 7 } });

function pay() {
  throw new Error("card declined", { cause: new TypeError("no amount") });
}

Sentry.withScope((scope) => {
  scope.addAttachment({ filename: "app.log", data: "a line", contentType: "text/plain" });
  try {
    pay();
  } catch (error) {
    const associatedEventId = Sentry.captureException(error);
    Sentry.captureFeedback({ name: "Ada", email: "ada@example.test", message: "It broke.", associatedEventId });
  }
});
Sentry.captureMessage("a message");
for (const _ of [1, 2]) Sentry.getClient().sendEvent({ event_id: `${"0".repeat(31)}1`, message: "twice" });
await Sentry.flush(20_000);
throw new RangeError("uncaught");
