import type { Subject } from "@lodge/conformance/subject";
import { reasonOf } from "@lodge/contract/call";
import type { Command } from "commander";
import { OperatorError } from "../../platform/errors.ts";

type Options = { url: string; ingestUrl?: string } & Omit<Subject, "base" | "ingest">;

const answerTimeoutMs = 10_000;

/** `lodged conformance` */
export function addConformanceCommand(program: Command): void {
  program
    .command("conformance")
    .description("check any server against the tables of the interface, row by row")
    .requiredOption("--url <address>", "address of the ticket API")
    .requiredOption("--token <token>", "an API token with tickets:write and access to exactly one project")
    .requiredOption("--key <key>", "an SDK key")
    .option("--ingest-url <address>", "address of the ingestion endpoint, if different")
    .option("--other-token <token>", "a token with access to exactly one other project")
    .option("--wide-token <token>", "a token with access to more than one project")
    .option("--unreaching-token <token>", "a token without access to any project")
    .option("--powerless-token <token>", "a token without tickets:write")
    .option("--revoked-token <token>", "a token that was revoked")
    .option("--rate-token <token>", "a token whose rate limit may be used up; must differ from the other tokens")
    .option("--rate-key <key>", "an SDK key whose rate limit may be used up, if shared rate limiting is on")
    .option("--suspended-key <key>", "an SDK key of a suspended organisation")
    .addHelpText("after", "\nRows that need an optional credential are skipped without it.")
    .action(async ({ url, ingestUrl, ...credentials }: Options) => {
      const { checkConformance } = await import("@lodge/conformance/check-conformance");
      const base = url.replace(/\/+$/, "");
      const ingest = ingestUrl?.replace(/\/+$/, "") ?? base;
      for (const address of new Set([base, ingest])) await requireAnswer(address);
      let failed = 0;
      for await (const { section, row, failure } of checkConformance({ base, ingest, ...credentials })) {
        console.log(
          `${failure === undefined ? "holds" : "FAILS"}  ${section.padEnd(4)} ${row}${failure ? `\n       ${failure}` : ""}`,
        );
        if (failure !== undefined) failed++;
      }
      console.log(failed === 0 ? "Every row holds." : `${failed} rows fail.`);
      if (failed > 0) process.exitCode = 1;
    });
}

/** Throws if no server answers at the address, because every row would fail. */
async function requireAnswer(address: string): Promise<void> {
  try {
    const answer = await fetch(address, { redirect: "manual", signal: AbortSignal.timeout(answerTimeoutMs) });
    await answer.body?.cancel();
  } catch (error) {
    throw new OperatorError(`No response from ${address}: ${reasonOf(error as Error)}`);
  }
}
