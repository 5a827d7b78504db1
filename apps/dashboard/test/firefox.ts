import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { patienceMs } from "../../server/src/testing/slowness.ts";

const firefoxPath = "/usr/bin/firefox-esr";

/** Preferences that prevent network lookups, downloads and dialogs. */
const preferences: Record<string, string | number | boolean> = {
  "app.normandy.enabled": false,
  "app.update.disabledForTesting": true,
  "browser.dom.window.dump.enabled": false,
  "browser.safebrowsing.downloads.enabled": false,
  "browser.safebrowsing.malware.enabled": false,
  "browser.safebrowsing.phishing.enabled": false,
  "browser.sessionstore.resume_from_crash": false,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.homepage_override.mstone": "ignore",
  "browser.startup.page": 0,
  "browser.tabs.warnOnClose": false,
  "captivedetect.canonicalURL": "",
  "datareporting.policy.dataSubmissionEnabled": false,
  "dom.abort_script_on_child_shutdown": false, // otherwise a process that shuts down aborts a test's scripts
  "dom.ipc.processPrelaunch.enabled": false,
  "extensions.update.enabled": false,
  "fission.webContentIsolationStrategy": 0, // a tab stays in one process, so that no command goes to one that has ended
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "network.http.speculative-parallel-limit": 0,
  "network.manage-offline-status": false,
  "services.settings.server": "data:,#remote-settings-dummy/v1",
  "signon.autofillForms": false,
  "toolkit.cosmeticAnimations.enabled": false,
  "toolkit.telemetry.reportingpolicy.firstRun": false,
  "ui.prefersReducedMotion": 1,
};

/** A tab of Firefox. */
type FirefoxTab = {
  context: string;
  /** Loads a URL, and waits for it. */
  goto: (url: string) => Promise<void>;
  /** Calls a function (or its source) in the page. Arguments and result must be JSON. */
  run: <A extends unknown[], R>(inPage: ((...values: A) => R) | string, ...values: A) => Promise<Awaited<R>>;
  /** Closes the tab without running its `beforeunload` handlers. */
  close: () => Promise<void>;
};

/** A Firefox profile: tabs that share cookies and storage, which are deleted with it. */
type FirefoxProfile = AsyncDisposable & { openTab: (url: string) => Promise<FirefoxTab> };

/** A real Firefox, controlled over WebDriver BiDi. */
export type Firefox = AsyncDisposable & {
  openProfile: () => Promise<FirefoxProfile>;
  /** Sends a WebDriver BiDi command. Rejects with the error from Firefox. */
  send: (method: string, params: Record<string, unknown>) => Promise<Record<string, unknown>>;
};

/** Starts Debian's Firefox with an empty profile. `more` overrides preferences. */
export async function startFirefox(more: Record<string, string | number | boolean> = {}): Promise<Firefox> {
  if (!existsSync(firefoxPath)) {
    throw new Error(
      `These tests need ${firefoxPath}, which is not installed: apt-get install firefox-esr, or run .ci/run`,
    );
  }
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "lodge-firefox-"));
  started.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  const lines = Object.entries({ ...preferences, ...more }).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  );
  await writeFile(join(folder, "user.js"), lines.join(""));
  const child = spawn(
    firefoxPath,
    ["--headless", "--no-remote", "--profile", folder, "--remote-debugging-port", "0", "about:blank"],
    { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, HOME: folder, MOZ_CRASHREPORTER_DISABLE: "1" } },
  );
  const exited = once(child, "exit");
  started.defer(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const address = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      const [, found] = /WebDriver BiDi listening on (ws:\S+)/.exec(line) ?? [];
      if (found) resolve(found);
    });
    void exited.then(([code]) => reject(new Error(`Firefox ended with ${code}`)));
  });
  const { send, close } = await connect(`${address}/session`);
  started.defer(close);
  await send("session.new", { capabilities: {} });
  const all = started.move();

  const openTab = async (userContext: string, url: string): Promise<FirefoxTab> => {
    const { context } = (await send("browsingContext.create", { type: "tab", userContext })) as { context: string };
    const goto = async (url: string) => {
      await send("browsingContext.navigate", { context, url, wait: "complete" });
    };
    await goto(url);
    return {
      context,
      goto,
      run: async (inPage, ...values) => {
        const answer = (await send("script.callFunction", {
          functionDeclaration: `async (values) => JSON.stringify({ value: await (${inPage})(...JSON.parse(values)) })`,
          arguments: [{ type: "string", value: JSON.stringify(values) }],
          target: { context },
          awaitPromise: true,
        })) as { result?: { value: string }; exceptionDetails?: { text: string } };
        if (!answer.result) throw new Error(`In the page: ${answer.exceptionDetails?.text}`);
        return JSON.parse(answer.result.value).value;
      },
      close: async () => {
        await send("browsingContext.close", { context, promptUnload: false });
      },
    };
  };
  return {
    send,
    openProfile: async () => {
      const { userContext } = (await send("browser.createUserContext", {})) as { userContext: string };
      return {
        openTab: (url) => openTab(userContext, url),
        [Symbol.asyncDispose]: async () => {
          await send("browser.removeUserContext", { userContext });
        },
      };
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

type Answer = {
  id?: number;
  type: string;
  result?: Record<string, unknown>;
  error?: string;
  message?: string;
  /** The stack trace inside Firefox. */
  stacktrace?: string;
};

async function connect(address: string) {
  const socket = new WebSocket(address);
  const open = Promise.withResolvers<void>();
  const waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  let last = 0;
  socket.onopen = () => open.resolve();
  socket.onerror = () => open.reject(new Error(`Cannot connect to Firefox at ${address}`));
  socket.onclose = () => {
    for (const { reject } of waiting.values()) reject(new Error("Firefox closed the connection"));
  };
  socket.onmessage = ({ data }) => {
    const { id = 0, type, result = {}, error, message, stacktrace } = JSON.parse(`${data}`) as Answer;
    const asked = waiting.get(id);
    waiting.delete(id);
    if (type === "success") asked?.resolve(result);
    else asked?.reject(new Error(`${error}: ${message}\n${stacktrace}`));
  };
  await open.promise;
  return {
    send: (method: string, params: Record<string, unknown>) => {
      const answer = Promise.withResolvers<Record<string, unknown>>();
      const id = ++last;
      const command = JSON.stringify({ id, method, params });
      waiting.set(id, answer);
      socket.send(command);
      const lost = setTimeout(() => {
        waiting.delete(id);
        answer.reject(new Error(`Firefox did not respond to ${command.slice(0, 500)}`));
      }, patienceMs());
      return answer.promise.finally(() => clearTimeout(lost));
    },
    close: () => socket.close(),
  };
}
