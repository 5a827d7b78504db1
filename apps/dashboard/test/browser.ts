import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { codeOf } from "../../server/src/testing/authenticator.ts";
import { password, signedIn } from "../../server/src/testing/dashboard-client.ts";
import { patienceMs } from "../../server/src/testing/slowness.ts";
import type { Client } from "../../server/src/testing/start-service.ts";

// The headless shell loads the same pages in half the time.
const chromiumPaths = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const variable = "TEST_BROWSER";
// A slowdown factor for pages, and a maximum delay of API responses. They reveal race conditions in tests.
const slowPages = Number(process.env.TEST_SLOW_PAGES ?? 1);
const slowAnswersMs = Number(process.env.TEST_SLOW_ANSWERS ?? 0);
const adaptEveryMs = 1_000;
const chromiumFlags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A page with its own cookies. `problems` collects its errors. */
export type OpenPage = { page: Page; problems: string[] };

/** A real Chromium. Every page that it opens has its own cookies and storage. */
export type TestBrowser = AsyncDisposable & {
  open: (url: string, options?: BrowserContextOptions) => Promise<OpenPage>;
};

/** Starts a Chromium for all test files that this process starts. They find it by an environment variable. */
export async function startBrowserServer(): Promise<AsyncDisposable> {
  const server = await chromium.launchServer(launchOptions());
  process.env[variable] = server.wsEndpoint();
  return { [Symbol.asyncDispose]: () => server.close() };
}

/** Connects to the shared Chromium, or starts one. Disposing the browser closes its pages and deletes their data. */
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
      const adapt = () => context.setDefaultTimeout(patienceMs());
      const adapting = setInterval(adapt, adaptEveryMs);
      context.on("close", () => clearInterval(adapting));
      adapt();
      if (slowPages > 1) context.on("page", (page) => void slowDown(page).catch(() => {})); // the page may close immediately
      if (slowAnswersMs > 0) await holdAnswers(context);
      const page = await context.newPage();
      const problems: string[] = [];
      page.on("pageerror", (error) => problems.push(String(error)));
      page.on("console", (message) => {
        // The browser logs an error for every response above 399. The server's tests cover those.
        const answered = message.text().startsWith("Failed to load resource:");
        if (message.type() === "error" && !answered) problems.push(message.text());
      });
      return { page, problems };
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

async function slowDown(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowPages });
}

/** Delays responses at random, so that they arrive out of order. */
function holdAnswers(context: BrowserContext) {
  return context.route("**/api/**", async (route) => {
    await sleep(Math.random() * slowAnswersMs);
    await route.continue().catch(() => {}); // the page may be closed
  });
}

function launchOptions() {
  const executablePath = chromiumPaths.find((path) => existsSync(path));
  if (!executablePath) {
    throw new Error(
      `These tests need ${chromiumPaths[0]}, which is not installed: apt-get install chromium-headless-shell`,
    );
  }
  return { executablePath, args: chromiumFlags, timeout: patienceMs() };
}

/** Signs a person in by setting the session cookies of the page, without the sign-in page. */
export async function openAs(page: Page, lodge: Client, email: string) {
  const { cookies } = await signedIn(lodge, email);
  const kept = [...cookies].map(([name, value]) => ({ name, value, url: lodge.url, httpOnly: true }));
  await page.context().addCookies(kept);
}

/** Signs in on the sign-in page. */
export async function signInOn(page: Page, email: string, password: string) {
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Sets up an authenticator app on the current page, and returns the recovery codes. */
export async function setUpFactor(page: Page): Promise<string[]> {
  await page.getByLabel("Your password").fill(password);
  await page.getByRole("button", { name: "Set up an authenticator app" }).click();
  await page.getByRole("img", { name: "The key as a QR code" }).waitFor();
  const key = await page.getByRole("region", { name: "Key" }).locator("code").innerText();
  await page.getByLabel("Code from the app").fill(codeOf(key, new Date()));
  await page.keyboard.press("Enter");
  const codes = await page.getByRole("region", { name: "Recovery codes" }).locator("code").innerText();
  await page.getByRole("button", { name: "I have saved them" }).click();
  return codes.split("\n");
}
