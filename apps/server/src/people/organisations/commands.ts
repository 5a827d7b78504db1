import type { Command } from "commander";
import type { PrintFromDatabase } from "../../platform/command/with-database.ts";

/** `lodged plan` */
export function addPlanCommands(program: Command, print: PrintFromDatabase): void {
  program
    .command("plan")
    .description("change the plan of an organisation")
    .command("set")
    .argument("<organisation>", "the slug of the organisation")
    .argument("<plan>", "free, team or business")
    .description("change the plan of an organisation; an upgrade ends a suspension immediately")
    .action(async (organisation: string, plan: string) => {
      const { setPlan } = await import("./set-plan.ts");
      await print((database) => setPlan(database, organisation, plan));
    });
}

/** `lodged second-factor` */
export function addSecondFactorCommands(program: Command, print: PrintFromDatabase): void {
  program
    .command("second-factor")
    .description("manage second factors")
    .command("remove")
    .argument("<email>", "the person's address")
    .description("remove a person's second factor")
    .action(async (email: string) => {
      const { dropSecondFactor } = await import("./drop-second-factor.ts");
      await print((database) => dropSecondFactor(database, email));
    });
}
