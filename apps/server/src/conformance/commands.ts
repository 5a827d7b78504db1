import { reasonOf } from "@lodge/contract/call";
import type { Command } from "commander";
import { OperatorError } from "../platform/errors.ts";
import type { Subject } from "./check-conformance.ts";

type Options = { url: string; ingestUrl?: string } & Omit<Subject, "base" | "ingest">;

const answerTimeoutMs = 10_000;

/** `lodged conformance` */
export function addConformanceCommand(program: Command): void {
  program
    .command("conformance")
    .description("run the interface's tables against any server, and print row by row what holds")
    .requiredOption("--url <address>", "where the ticket API is")
    .requiredOption("--token <token>", "an API token with tickets:write that reaches exactly one project")
    .requiredOption("--key <key>", "an SDK key")
    .option("--ingest-url <address>", "where reports go, if elsewhere")
    .option("--other-token <token>", "a token that reaches exactly one project, another one")
    .option("--wide-token <token>", "a token that reaches more than one project")
    .option("--unreaching-token <token>", "a token that reaches no project")
    .option("--powerless-token <token>", "a token without tickets:write")
    .option("--revoked-token <token>", "a token that was revoked")
    .option("--rate-token <token>", "a token whose minute may be used up, none of the others")
    .option("--rate-key <key>", "an SDK key whose minute may be used up, where shared rate limiting is on")
    .option("--suspended-key <key>", "an SDK key of a suspended organisation")
    .addHelpText("after", "\nThe rows that need a credential which is not given are left out.")
    .action(async ({ url, ingestUrl, ...credentials }: Options) => {
      const { checkConformance } = await import("./check-conformance.ts");
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

/** Throws where nobody answers at an address: no row says anything then. */
async function requireAnswer(address: string): Promise<void> {
  try {
    const answer = await fetch(address, { redirect: "manual", signal: AbortSignal.timeout(answerTimeoutMs) });
    await answer.body?.cancel();
  } catch (error) {
    throw new OperatorError(`Nobody answers at ${address}: ${reasonOf(error as Error)}`);
  }
}
