import { type Permission, permissions } from "@lodge/contract/roles";
import { type Command, Option } from "commander";
import { parseUuid } from "../../platform/command/parse-uuid.ts";
import type { PrintFromDatabase } from "../../platform/command/with-database.ts";

type Asked = { permission: Permission[]; project?: string[] };

/** `lodged token` */
export function addTokenCommands(program: Command, print: PrintFromDatabase): void {
  const token = program.command("token").description("manage API tokens");
  token
    .command("create")
    .argument("<organisation>", "the slug of the organisation")
    .argument("<name>", "its name, shown as the author of the tickets that it files")
    .addOption(
      new Option("--permission <permission...>", "a permission of the token")
        .choices(permissions)
        .makeOptionMandatory(),
    )
    .option("--project <slug...>", "the projects that it has access to; defaults to all")
    .description("create a token; its secret is shown only once")
    .action(async (organisation: string, name: string, { permission, project }: Asked) => {
      const { grantToken } = await import("./grant-token.ts");
      await print((database) =>
        grantToken(database, organisation, { name, permissions: permission, projects: project ?? "all" }),
      );
    });
  token
    .command("list")
    .argument("<organisation>", "the slug of the organisation")
    .description("list the tokens, without their secrets")
    .action(async (organisation: string) => {
      const { findOrganisation } = await import("./grant-token.ts");
      const { listTokens } = await import("./list-tokens.ts");
      await print(async (database) => {
        const organisationId = await findOrganisation(database.db, organisation);
        return (await listTokens(database, { organisationId })).tokens;
      });
    });
  token
    .command("revoke")
    .argument("<id>", "a token, by its id", parseUuid)
    .description("revoke a token")
    .action(async (id: string) => {
      const { withdrawToken } = await import("./withdraw-token.ts");
      await print(async (database) => ({ id, revokedAt: await withdrawToken(database, id) }));
    });
}
