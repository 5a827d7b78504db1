import { type Command, Option } from "commander";
import type { PrintFromDatabase } from "../../platform/command/with-database.ts";
import type { Config } from "../../platform/config/config.ts";
import { OperatorError } from "../../platform/errors.ts";

type EraseOptions = { organisation: string; user?: string; email?: string; install?: string; dryRun?: true };

/** `lodged erase` */
export function addErasureCommands(program: Command, print: PrintFromDatabase, readSettings: () => Config): void {
  program
    .command("erase")
    .requiredOption("--organisation <slug>", "whose apps")
    .addOption(new Option("--user <id>", "what this user has sent").conflicts(["email", "install"]))
    .addOption(new Option("--email <address>", "what a user with this address has sent").conflicts("install"))
    .option("--install <id>", "what this install has sent")
    .option("--dry-run", "count it, and change nothing")
    .description("erase reports with their attachments, threads, and what cards say of them; prints a receipt")
    .action(async ({ organisation, user, email, install, dryRun }: EraseOptions) => {
      const value = user ?? email ?? install;
      if (value === undefined) throw new OperatorError("Say whose reports: --user, --email or --install.");
      const by = user !== undefined ? "user" : email !== undefined ? "email" : "install";
      const { openStore } = await import("../../platform/store/open-store.ts");
      const { findOrganisation } = await import("../../people/tokens/grant-token.ts");
      const { eraseReports } = await import("./erase-reports.ts");
      const store = await openStore(readSettings());
      await print(async (database) => {
        const organisationId = await findOrganisation(database.db, organisation);
        const deps = { ...database, store };
        const requester = { userId: null, name: "lodged erase" };
        return eraseReports(
          deps,
          organisationId,
          requester,
          { by, value, dryRun: dryRun ?? false },
          Number.POSITIVE_INFINITY,
        );
      });
    });
}
