import { rateLimitRows } from "./rate-limit-rows.ts";
import { refusedReportRows } from "./refused-report-rows.ts";
import { reportRows } from "./report-rows.ts";
import { Mismatch } from "./row.ts";
import type { Subject } from "./subject.ts";
import { ticketBodyRows } from "./ticket-body-rows.ts";
import { ticketKeyRows } from "./ticket-key-rows.ts";
import { tokenRows } from "./token-rows.ts";

/** A row of the interface, and why it fails; undefined if it holds. */
export type Row = { section: string; row: string; failure: string | undefined };

/** Checks the rows of the interface one after another. Files tickets and sends reports: use a test project. */
export async function* checkConformance(subject: Subject): AsyncGenerator<Row> {
  const groups = [ticketBodyRows, ticketKeyRows, tokenRows, reportRows, refusedReportRows, rateLimitRows];
  for (const { section, row, run } of groups.flatMap((rowsOf) => rowsOf(subject))) {
    try {
      await run();
      yield { section, row, failure: undefined };
    } catch (error) {
      const failure = error instanceof Mismatch ? error.message : `no answer: ${(error as Error).message}`;
      yield { section, row, failure };
    }
  }
}
