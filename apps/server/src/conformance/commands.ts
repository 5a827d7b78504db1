import type { Command } from "commander";

/** `lodged conformance` */
export function addConformanceCommand(program: Command): void {
  program
    .command("conformance")
    .description("run the interface's tables against any server, and print row by row what holds")
    .requiredOption("--url <address>", "where the ticket API is")
    .requiredOption("--token <token>", "an API token with tickets:write that reaches exactly one project")
    .requiredOption("--key <key>", "an SDK key")
    .option("--ingest-url <address>", "where reports go, if elsewhere")
    .action(async ({ url, ingestUrl, token, key }: Record<"url" | "ingestUrl" | "token" | "key", string>) => {
      const { checkConformance } = await import("./check-conformance.ts");
      const base = url.replace(/\/+$/, "");
      let failed = 0;
      for await (const { section, row, failure } of checkConformance({
        base,
        ingest: ingestUrl?.replace(/\/+$/, "") ?? base,
        token,
        key,
      })) {
        console.log(
          `${failure === undefined ? "holds" : "FAILS"}  ${section.padEnd(4)} ${row}${failure ? `\n       ${failure}` : ""}`,
        );
        if (failure !== undefined) failed++;
      }
      console.log(failed === 0 ? "Every row holds." : `${failed} rows fail.`);
      if (failed > 0) process.exitCode = 1;
    });
}
