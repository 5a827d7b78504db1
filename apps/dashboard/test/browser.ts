import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const chromiumPath = "/usr/bin/chromium";
const variable = "TEST_BROWSER";
// What hangs, not what is slow on a busy machine.
const timeoutMs = 120_000;
const chromiumFlags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A page of a browser of somebody's own; `problems` collects what the page itself complains of. */
export type OpenPage = { page: Page; problems: string[] };

/** A real Chromium. Every page that it opens has its own cookies and storage. */
export type TestBrowser = AsyncDisposable & {
  open: (url: string, options?: BrowserContextOptions) => Promise<OpenPage>;
};

/** Starts a Chromium for all test files that this process starts from now on, which find it in their environment. */
export async function startBrowserServer(): Promise<AsyncDisposable> {
  const server = await chromium.launchServer(launchOptions());
  process.env[variable] = server.wsEndpoint();
  return { [Symbol.asyncDispose]: () => server.close() };
}

/** Gives a test a browser with nothing in it: what it opens there is its own, and gone with it. */
export async function startBrowser(): Promise<TestBrowser> {
  const endpoint = process.env[variable];
  const browser: Browser = endpoint ? await chromium.connect(endpoint) : await chromium.launch(launchOptions());
  return {
    open: async (url, options) => {
      const context = await browser.newContext({
        baseURL: url,
        locale: "en-US",
        timezoneId: "America/New_York",
        reducedMotion: "reduce",
        ...options,
      });
      context.setDefaultTimeout(timeoutMs);
      const page = await context.newPage();
      const problems: string[] = [];
      page.on("pageerror", (error) => problems.push(String(error)));
      page.on("console", (message) => {
        // The browser itself tells of every answer above 399; those are the server's tests.
        const answered = message.text().startsWith("Failed to load resource:");
        if (message.type() === "error" && !answered) problems.push(message.text());
      });
      return { page, problems };
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

function launchOptions() {
  if (!existsSync(chromiumPath)) {
    throw new Error(`There is no ${chromiumPath}, which these tests drive: apt-get install chromium, or run .ci/run`);
  }
  return { executablePath: chromiumPath, args: chromiumFlags };
}

/** Signs in on the page that asks for it. */
export async function signInOn(page: Page, email: string, password: string) {
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}
