import { answerThread, getEvent, makeEventCard } from "@lodge/contract/calls.generated";
import type { Receipt } from "@lodge/contract/envelope";
import type { DashboardClient } from "../../server/src/testing/dashboard-client.ts";
import type { Client } from "../../server/src/testing/start-service.ts";
import { type Attachment, readEvent, submitReport } from "../../server/src/testing/submit-report.ts";
import { makePng } from "./png.ts";

/** The ids of the reports in the lively world. */
export type LivelyReports = {
  appId: string;
  eventId: string;
  feedbackId: string;
  threadId: string;
  problemId: string;
  reportedTicketId: string;
};

const stackIn = (bundle: string) => `TypeError: Cannot read properties of undefined (reading 'price')
    at addTax (https://shop.example.test/assets/checkout-${bundle}.js:12:1841)
    at sumOf (https://shop.example.test/assets/checkout-${bundle}.js:12:2210)
    at renderWithHooks (https://shop.example.test/assets/vendor-B21c9d3e.js:9:11022)
    at updateFunctionComponent (https://shop.example.test/assets/vendor-B21c9d3e.js:9:14387)
    at beginWork (https://shop.example.test/assets/vendor-B21c9d3e.js:9:19204)
    at Basket (https://shop.example.test/assets/checkout-${bundle}.js:4:311)`;

const minuteMs = 60_000;
const ago = (minutes: number) => new Date(Date.now() - minutes * minuteMs).toISOString();

/** A week of an app's reports: two problems, feedback and a question. */
export async function sendLivelyReports(
  lodge: Client,
  ada: DashboardClient,
  app: { id: string; keys: { key: string }[] } | undefined,
  columnId: string,
): Promise<LivelyReports> {
  const [key] = app?.keys ?? [];
  if (!app || !key) throw new Error("lodged apply did not return the app");
  let count = 0;
  const submit = async (envelope: Record<string, unknown>, attachments: Attachment[] = []) => {
    const receipt = await submitReport(lodge.url, key.key, { reportId: `r-${++count}`, ...envelope }, attachments);
    await readEvent(lodge.deps, app.id, receipt.eventId);
    return receipt;
  };
  const send = async (...report: Parameters<typeof submit>) => (await submit(...report)).eventId;
  const say = async ({ thread }: Receipt, text: string) => {
    const { id = "", token = "" } = thread ?? {};
    await lodge.request("POST", `/api/threads/${id}/messages`, {
      headers: { authorization: `Bearer ${token}` },
      body: { text },
    });
  };
  const crash = (install: string, version: string, bundle: string) => ({
    kind: "crash",
    installId: install,
    app: { version, environment: version === "4.8.0" ? "staging" : "production" },
    device: { model: "Pixel 9", os: "Android", osVersion: "16", locale: "de-DE", screen: "412 × 915" },
    error: {
      type: "TypeError",
      message: "Cannot read properties of undefined (reading 'price')",
      stack: stackIn(bundle),
    },
    tags: { browser: "Chromium", checkout: "express" },
  });
  for (let install = 1; install <= 12; install++) {
    await send(crash(`install-${install}`, install > 8 ? "4.8.0" : "4.7.2", install > 8 ? "C91e7b40" : "D0a51f2c"));
  }
  await send({
    kind: "bug",
    installId: "install-3",
    app: { version: "4.7.2", environment: "production" },
    error: { type: "TimeoutError", message: "No answer from /api/stock/48113 within 30000 ms" },
  });
  const question = await submit({
    kind: "question",
    title: "Can I change the delivery day after I have paid?",
    message: "I found the order, but there is no button for it any more.",
    app: { version: "4.8.0", environment: "production" },
    user: { name: "Rósa Birta" },
  });
  const feedback = await submit({
    kind: "feedback",
    message: "The new basket is great. I would like to see the delivery day before I enter my address, though.",
    app: { version: "4.8.0", environment: "production" },
    user: { email: "theo@example.test" },
  });
  const eventId = await send(
    {
      ...crash("install-13", "4.8.0", "C91e7b40"),
      message: "I pressed “Pay” and nothing happened.\nThe second time the page went white.",
      occurredAt: ago(3),
      user: { id: "48113", email: "jo@example.test", name: "Jo Alder" },
      sdk: { name: "@lodge/sdk", version: "1.4.0" },
      breadcrumbs: [
        { at: ago(5), category: "navigation", message: "/basket" },
        { at: ago(4.6), category: "click", message: "button “Express checkout”" },
        { at: ago(4.2), category: "http", message: "GET /api/tax/DE", data: { status: 204, ms: 187 } },
        { at: ago(3.1), category: "click", message: "button “Pay”" },
        { at: ago(3), category: "console", message: "tax rate is undefined", level: "error" },
      ],
      context: {
        basket: {
          items: [
            { sku: "A-1041", count: 2 },
            { sku: "C-0007", count: 1 },
          ],
          currency: "EUR",
          voucher: null,
        },
        features: { expressCheckout: true, newTax: false },
        route: "/checkout/express",
      },
      dropped: [{ partName: "recording", reason: "larger than 10 MB", byteLength: 14_220_118 }],
    },
    [
      { partName: "screen", filename: "checkout.png", contentType: "image/png", bytes: makePng(360, 220) },
      {
        partName: "log",
        filename: "console.log",
        contentType: "text/plain",
        bytes: Buffer.from(
          "GET /api/tax/DE 204\ntax rate is undefined\nTypeError: Cannot read properties of undefined\n",
        ),
      },
      {
        partName: "heap",
        filename: "heap.bin",
        contentType: "application/octet-stream",
        bytes: Buffer.alloc(48_000, 7),
      },
    ],
  );
  await ada.call(answerThread, {
    params: { threadId: feedback.thread?.id ?? "" },
    body: { text: "Thank you! We have it on our list for the next release." },
  });
  await say(feedback, "Good to hear. Will it work without an account, too?");
  await say(question, "Never mind the button: can you change it for me? Order 48113, to Friday.");
  const { problem } = await ada.call(getEvent, { params: { eventId } });
  const body = { columnId };
  const { ticketId: reportedTicketId } = await ada.call(makeEventCard, { params: { eventId }, body });
  if (!problem) throw new Error("The crash was not grouped into a problem");
  await spreadOverTime(lodge, app.id);
  await sendInvalidReport(lodge, app.keys[0]?.key ?? "");
  const threadId = feedback.thread?.id ?? "";
  return { appId: app.id, eventId, feedbackId: feedback.eventId, threadId, problemId: problem.id, reportedTicketId };
}

/** Sends an invalid report, like an outdated SDK. */
async function sendInvalidReport(lodge: Client, key: string) {
  const body = new FormData();
  body.set("envelope", new Blob([JSON.stringify({ report: 1 })]));
  await fetch(`${lodge.url}/api/ingest`, { method: "POST", headers: { authorization: `Bearer ${key}` }, body });
}

/** Adds counts for earlier days, without their reports, since tests cannot wait for real ones. */
async function spreadOverTime({ deps: { pool } }: Client, appId: string) {
  await pool.query(
    `insert into app_hours (app_id, kind, hour, event_count)
     select app_id, kind, hour - interval '6 hours' * step, 1 + (step * 7 + step * step) % 11
     from app_hours, generate_series(1, 27) as step where app_id = $1 and kind = 'crash'`,
    [appId],
  );
  await pool.query(
    `insert into problem_days (app_id, hash, day, event_count)
     select app_id, hash, day - step, event_count * (1 + (step * 5 + step * step) % 3)
     from problem_days, generate_series(1, 11) as step where app_id = $1
     on conflict do nothing`, // after midnight, the day before already has a row
    [appId],
  );
  for (const table of ["problem_hashes", "problem_facets"]) {
    await pool.query(
      `update ${table} as counted set event_count = counted.event_count * days.factor,
         first_seen_at = counted.first_seen_at - interval '11 days'
       from (select hash, sum(event_count) / max(event_count) filter (where day = last) as factor
             from (select *, max(day) over (partition by hash) as last from problem_days where app_id = $1) as all_days
             group by hash) as days
       where counted.app_id = $1 and counted.hash = days.hash`,
      [appId],
    );
  }
  await pool.query(
    `update problems set event_count = hashes.count, first_seen_at = hashes.first
     from (select problem_id, sum(event_count) as count, min(first_seen_at) as first from problem_hashes
           where app_id = $1 group by problem_id) as hashes
     where app_id = $1 and problems.id = hashes.problem_id`,
    [appId],
  );
}
