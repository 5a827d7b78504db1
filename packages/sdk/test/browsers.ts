import { startBrowser } from "../../../apps/dashboard/test/browser.ts";
import { startFirefox } from "../../../apps/dashboard/test/firefox.ts";

/** A tab of a real browser. */
export type Tab = {
  goto: (url: string) => Promise<void>;
  /** Calls a function in the page and resolves with its result. Arguments and result must be JSON values. */
  run: <A extends unknown[], R>(inPage: (...values: A) => R, ...values: A) => Promise<Awaited<R>>;
  setOffline: (isOffline: boolean) => Promise<void>;
  /** Kills the page's process in Chromium; closes the page in Firefox, where pages of a site share a process. */
  kill: () => Promise<void>;
};

/** Tabs that share cookies and storage. */
export type Profile = AsyncDisposable & { openTab: (url: string) => Promise<Tab> };

/** A real browser. */
export type RealBrowser = AsyncDisposable & { openProfile: () => Promise<Profile> };

/** The browsers that the SDK is tested in. A quota limits the bytes that a page may store. */
export const browsers = {
  chromium: { name: "Chromium", start: startChromium },
  firefox: { name: "Firefox", start: startBidi },
} as const;

async function startChromium(quota?: number): Promise<RealBrowser> {
  const browser = await startBrowser();
  return {
    openProfile: async () => {
      const { page: first } = await browser.open("about:blank");
      const context = first.context();
      return {
        openTab: async (url) => {
          const page = await context.newPage();
          await page.goto(url);
          const session = await context.newCDPSession(page);
          if (quota !== undefined) {
            const { origin } = new URL(url);
            await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: quota });
          }
          return {
            goto: async (url) => {
              await page.goto(url);
            },
            run: async (inPage, ...values) => {
              const expression = `(async () => JSON.stringify({ value: await (${inPage})(...${JSON.stringify(values)}) }))()`;
              const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
                expression,
                awaitPromise: true,
              });
              if (exceptionDetails) throw new Error(`In the page: ${exceptionDetails.exception?.description}`);
              return JSON.parse(result.value).value;
            },
            setOffline: (isOffline) => context.setOffline(isOffline),
            kill: async () => {
              const crashed = page.waitForEvent("crash");
              void session.send("Page.crash").catch(() => {});
              await crashed;
              await page.close();
            },
          };
        },
        [Symbol.asyncDispose]: () => context.close(),
      };
    },
    [Symbol.asyncDispose]: () => browser[Symbol.asyncDispose](),
  };
}

async function startBidi(quota?: number): Promise<RealBrowser> {
  const firefox = await startFirefox(
    quota === undefined ? {} : { "dom.quotaManager.temporaryStorage.fixedLimit": Math.ceil(quota / 1024) },
  );
  return {
    openProfile: async () => {
      const profile = await firefox.openProfile();
      return {
        openTab: async (url) => {
          const tab = await profile.openTab(url);
          return {
            goto: tab.goto,
            run: tab.run,
            setOffline: async (isOffline) => {
              await firefox.send("emulation.setNetworkConditions", {
                contexts: [tab.context],
                networkConditions: isOffline ? { type: "offline" } : null,
              });
            },
            kill: tab.close,
          };
        },
        [Symbol.asyncDispose]: () => profile[Symbol.asyncDispose](),
      };
    },
    [Symbol.asyncDispose]: () => firefox[Symbol.asyncDispose](),
  };
}
