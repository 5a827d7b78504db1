import type { getClientConfig } from "@lodge/contract/calls.generated";
import { installIdLengthMax } from "@lodge/contract/limits";
import { attempt } from "./attempt.ts";
import { attach, composeReport, describeError, toHex } from "./compose-report.ts";
import { fitReport } from "./fit-report.ts";
import { LodgeError } from "./lodge-error.ts";
import type { Options } from "./options.ts";
import type { Platform } from "./platform.ts";
import { createSender, type Outcome } from "./sender.ts";
import { bodyOf, openService } from "./service.ts";
import { bytesMaxDefault, lossOf, type Row } from "./store.ts";
import { withFallback } from "./store-with-fallback.ts";
import type {
  Attachment,
  Breadcrumb,
  Config,
  Dropped,
  Envelope,
  Handed,
  Lodge,
  Receipt,
  Report,
  Status,
} from "./types.ts";

const ageMaxDaysDefault = 14;
const errorsPerMinuteMax = 20;
const framesMax = 50;
const screenshotTimeoutMs = 5000;
const flushTimeoutMs = 30_000;
const configAgeMaxMs = 3_600_000;
/** The delay before other tabs wait for the lock too. The tab of the report goes first, and is mostly done by then. */
const lineAfterMs = 1000;
/** The most reports that a page sends when it is left. */
const freshMax = 10;
/** Below the 64 KiB that a browser sends after a page is closed. */
const leavingLimits = { envelopeBytes: 50_000 };

const configPath: (typeof getClientConfig)["path"] = "/api/config";

type Pending = { resolve: (receipt: Receipt) => void; reject: (error: LodgeError) => void };

/** Creates a `Lodge` on a platform. Throws a `TypeError` for an invalid `ingestUrl` or SDK key. */
export function createLodgeOn<Extra = unknown>(platform: Platform, options: Options<Extra>): Lodge & Extra {
  const { key, queue = {}, capture = {}, beforeSend } = options;
  if (!/^ldgpub_\w+$/.test(key)) {
    throw new TypeError(
      "key is not an SDK key (ldgpub_…). Use the key on the app's page in Lodge. Never put an API token into an app.",
    );
  }
  const name = `lodge:${key}`;
  const ending = new AbortController();
  const service = openService(platform, platform.resolve(options.ingestUrl), ending.signal);
  const store = withFallback(() => platform.openStore(options));
  const pending = new Map<string, Pending>();
  const onChange = new Set<() => void>();
  const breadcrumbs: Breadcrumb[] = [];
  let rows: Row[] = [];
  let told = "";

  const status = (): Status => ({
    queued: rows.length,
    bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
    state: sender.state(),
  });

  async function changed() {
    rows = await store.list().catch(() => rows);
    const now = JSON.stringify(status());
    const isNews = now !== told;
    told = now;
    attempt(() => isNews && options.onStatus?.(status()));
    for (const look of onChange) look();
  }

  const channel = platform.channel(name, (message) => {
    const { id, outcome } = message as { id: string; outcome?: Outcome };
    if (outcome) {
      forget(id);
      takePending(id)(outcome);
    } else platform.after(lineAfterMs, () => rows[0] && sender.wake()); // the tab of the report may die
    void changed();
  });

  /** Returns a function that settles the receipt of a report. It can be taken only once. */
  function takePending(id: string) {
    const waiting = pending.get(id);
    pending.delete(id);
    return ({ receipt, code = "dropped", message }: Outcome) =>
      receipt ? waiting?.resolve(receipt) : waiting?.reject(new LodgeError(code, message));
  }

  /** Removes a report from the count of `status()` before its receipt resolves. */
  function forget(id: string) {
    rows = rows.filter((row) => row.id !== id);
  }

  /** Removes a report from the queue, and settles its receipt in every tab. */
  async function settle(id: string, outcome: Outcome) {
    if (outcome.receipt) await extension?.received(outcome.receipt);
    const tell = takePending(id);
    await store.remove(id);
    forget(id);
    tell(outcome);
    channel.tell({ id, outcome });
  }

  /** Removes a report that will not be sent from the queue; the next report lists it in `dropped`. */
  async function giveUp(row: Row, reason: string) {
    const lost = lossOf(row, await store.read(row.id), reason);
    await store.set("lost", [...((await store.get<Dropped[]>("lost")) ?? []), ...lost]);
    await settle(row.id, {});
  }

  let asked: Promise<Config> | undefined;
  async function config(): Promise<Config> {
    const kept = await store.get<{ config: Config; at: number }>("config");
    if (kept && Math.abs(Date.now() - kept.at) < configAgeMaxMs) return kept.config;
    asked ??= service(configPath, key, {})
      .then(async (answer) => {
        const config = bodyOf<Config>(answer);
        await store.set("config", { config, at: Date.now() });
        return config;
      })
      .finally(() => {
        asked = undefined;
      });
    return asked;
  }

  const sender = createSender({
    platform,
    name,
    service,
    key,
    store,
    ageMaxMs: (queue.ageMaxDays ?? ageMaxDaysDefault) * 86_400_000,
    config,
    settle,
    giveUp,
    changed: () => void changed(),
  });

  const extension = options.extend?.({ platform, name, service, bodyOf, store, ending: ending.signal });

  let installId = typeof options.installId === "string" ? options.installId.slice(0, installIdLengthMax) : undefined;
  const named = options.installId === true ? nameInstall() : undefined;
  async function nameInstall() {
    installId = (await store.get<string>("installId")) ?? toHex(platform.randomBytes(16));
    await store.set("installId", installId);
  }

  const compose = (report: Report) => composeReport(platform, options, report, { installId, breadcrumbs });
  const filter = (envelope: Envelope) => (beforeSend ? beforeSend(envelope) : envelope);

  const fresh: { envelope: Envelope; isStored: boolean }[] = [];
  /** Sends the latest unsent reports before the page is closed; the others wait on the disk for the next page. */
  function leave() {
    sender.rest();
    for (const { envelope, isStored } of fresh.splice(0).reverse()) {
      if (!pending.has(envelope.reportId)) continue;
      // A report that is not on the disk would be lost, so it is cut to the limit.
      sender.sendLast(isStored ? envelope : fitReport({ envelope, parts: [] }, leavingLimits).envelope);
    }
  }

  let handing: Promise<unknown> = Promise.resolve();
  /** Makes `close` wait for reports that are not in the queue yet. */
  function track(handed: Promise<Handed>) {
    handing = Promise.allSettled([handing, handed]);
    return handed;
  }

  async function handOver(report: Report): Promise<Handed> {
    if (ending.signal.aborted) throw new LodgeError("closed");
    await named;
    const screenshot = report.screenshot && (await takeScreenshot());
    return enqueue(compose(report), [
      ...(report.attachments ?? []),
      ...(screenshot ? [{ name: "screenshot", data: screenshot, kind: "screenshot" as const }] : []),
    ]);
  }

  async function enqueue(composed: Envelope, attachments: readonly Attachment[] = []): Promise<Handed> {
    const { reportId } = composed;
    const receipt = new Promise<Receipt>((resolve, reject) => pending.set(reportId, { resolve, reject }));
    receipt.catch(() => {}); // callers may ignore the receipt
    const handed = { reportId, receipt };
    const filtered = await new Promise<Envelope | null>((resolve) => resolve(filter(composed))).catch(() => null);
    if (!filtered) {
      void settle(reportId, { code: "left_out" });
      return handed;
    }
    const own = { envelope: { ...filtered, reportId }, isStored: false };
    if (!attachments[0]) {
      fresh.push(own);
      fresh.splice(0, fresh.length - freshMax);
      if (sender.isResting()) leave();
    }
    const lost = (await store.get<Dropped[]>("lost")) ?? [];
    const report = fitReport(await attach(own.envelope, attachments, lost, platform.digest));
    const before = rows;
    await store.put(report, queue.bytesMax ?? bytesMaxDefault);
    own.isStored = true;
    sender.wake();
    channel.tell({ id: reportId });
    if (lost[0]) await store.set("lost", []);
    await changed();
    // Reports that were removed for space, or settled meanwhile.
    for (const { id } of before) if (!rows.some((row) => row.id === id)) void settle(id, {});
    return handed;
  }

  const recent = new Map<string, number>();
  function composeUnhandled(error: unknown, how: string): Envelope | undefined {
    const now = Date.now();
    for (const [what, at] of recent) if (now - at > 60_000) recent.delete(what);
    const what = JSON.stringify(describeError(error)); // not every browser's stack includes the message
    if (recent.has(what) || recent.size >= errorsPerMinuteMax) return undefined;
    recent.set(what, now);
    return attempt(() => compose({ error, kind: "crash", tags: { unhandled: how } }));
  }

  /** The screenshot, or undefined if it fails or takes too long. */
  const takeScreenshot = () =>
    new Promise<Blob | undefined>((resolve) => {
      const give = () => resolve(undefined);
      platform.after(screenshotTimeoutMs, give);
      Promise.resolve()
        .then(() => capture.screenshot?.())
        .then(resolve, give);
    });

  if (capture.errors) {
    keepMoreFrames(ending.signal);
    const enqueueQuietly = (envelope?: Envelope) => void (envelope && track(enqueue(envelope)).catch(() => {}));
    platform.watchErrors(composeUnhandled, enqueueQuietly, filter, ending.signal);
  }
  if (capture.breadcrumbs) platform.leaveBreadcrumbs(breadcrumbs, ending.signal);
  platform.watch(sender.resume, leave, ending.signal);
  void changed().then(() => rows[0] && sender.wake());

  return {
    report: (report) => track(handOver(report)),
    flush: async ({ timeoutMs = flushTimeoutMs } = {}) => {
      sender.hurry();
      await changed();
      return new Promise((resolve) => {
        const end = (isDone: boolean) => {
          clearTimeout(timer);
          onChange.delete(look);
          resolve(isDone);
        };
        const look = () => {
          if (!rows[0] || sender.quiet()) end(!rows[0]);
        };
        const timer = setTimeout(() => end(false), timeoutMs); // in Node this keeps the process alive
        onChange.add(look);
        look();
      });
    },
    close: async () => {
      ending.abort();
      await sender.close();
      await handing; // reports that are not in the queue yet
      for (const id of [...pending.keys()]) takePending(id)({ code: "closed" });
      await changed();
      channel.close();
      await store.close();
    },
    status,
    config,
    ...(extension?.methods as Extra),
  };
}

/** V8 keeps ten frames of a stack, often none of them the app's. Other engines have no such limit. */
function keepMoreFrames(ending: AbortSignal) {
  const errors = Error as { stackTraceLimit?: number };
  const before = errors.stackTraceLimit ?? framesMax;
  if (before >= framesMax) return;
  const set = (limit: number) => attempt(() => (errors.stackTraceLimit = limit)); // some apps freeze it
  set(framesMax);
  ending.addEventListener("abort", () => errors.stackTraceLimit === framesMax && set(before));
}
