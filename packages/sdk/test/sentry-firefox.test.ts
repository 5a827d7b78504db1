import { browsers } from "./browsers.ts";
import { testSentryInBrowser } from "./sentry-in-browser.ts";

testSentryInBrowser(browsers.firefox);
