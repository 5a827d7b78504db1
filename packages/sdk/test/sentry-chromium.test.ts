import { browsers } from "./browsers.ts";
import { testSentryInBrowser } from "./test-sentry-in-browser.ts";

testSentryInBrowser(browsers.chromium);
