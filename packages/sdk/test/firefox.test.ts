import { browsers } from "./browsers.ts";
import { testInBrowser } from "./test-in-browser.ts";

testInBrowser(browsers.firefox);
