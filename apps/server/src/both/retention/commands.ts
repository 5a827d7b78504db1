import { type Command, Option } from "commander";
import type { PrintFromDatabase } from "../../platform/command/with-database.ts";
import type { Config } from "../../platform/config/config.ts";
import { OperatorError } from "../../platform/errors.ts";

type EraseOptions = { organisation: string; user?: string; email?: string; install?: string; dryRun?: true };

/** `lodged erase` */
export function addErasureCommands(program: Command, print: PrintFromDatabase, readSettings: () => Config): void {
  program
    .command("erase")
    .requiredOption("--organisation <slug>", "the organisation of the apps")
    .addOption(new Option("--user <id>", "reports of this user").conflicts(["email", "install"]))
    .addOption(new Option("--email <address>", "reports of a user with this address").conflicts("install"))
    .option("--install <id>", "reports of this install")
    .option("--dry-run", "count only, change nothing")
    .description("erase reports with their attachments, threads and texts on cards; prints a receipt")
    .action(async ({ organisation, user, email, install, dryRun }: EraseOptions) => {
      const value = user ?? email ?? install;
      if (value === undefined)
        throw new OperatorError("Choose whose reports to erase with --user, --email or --install.");
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
