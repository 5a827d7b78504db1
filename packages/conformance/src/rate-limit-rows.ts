import { ticketFiler } from "./file-ticket.ts";
import type { Seen } from "./request.ts";
import { type Check, expect, expectRefusal, rowsWith } from "./row.ts";
import { makeEnvelope, reportSender } from "./send-report.ts";
import type { Subject } from "./subject.ts";

/** Requests per minute of one token, and of one key (section 8). */
const ratePerMinute = 60;

/** The rows on rate limits (sections 7.2 and 8). */
export const rateLimitRows = (subject: Subject): Check[] => [
  ...rowsWith(subject.rateToken, (token) => [
    {
      section: "8",
      row: `more than ${ratePerMinute} requests per minute with one token`,
      run: async () => {
        const { status } = await exceedRate(() => ticketFiler(subject, token)({}));
        expect(status === 429, `got ${status}`);
      },
    },
  ]),
  ...rowsWith(subject.rateKey, (key) => [
    {
      section: "7.2",
      row: `more than ${ratePerMinute} requests per minute with one key, with Retry-After`,
      run: async () => {
        const refused = await exceedRate(() => reportSender(subject, key)([makeEnvelope()]));
        expectRefusal(refused, 429, "rate_limit_exceeded");
        expect(refused.headers.has("retry-after"), "without Retry-After");
      },
    },
  ]),
];

/** Sends requests until one gets 429, up to twice the limit: a new minute may begin in between. */
async function exceedRate(send: () => Promise<Seen>): Promise<Seen> {
  let seen = await send();
  for (let sent = 1; sent < 2 * ratePerMinute + 2 && seen.status !== 429; sent++) seen = await send();
  return seen;
}
