import { type Command, InvalidArgumentError, Option } from "commander";
import { parseUuid } from "../../platform/command/parse-uuid.ts";
import type { PrintFromDatabase } from "../../platform/command/with-database.ts";
import { OperatorError } from "../../platform/errors.ts";

type ListOptions = { state?: string; subscriber?: string; limit: number };
type ResendOptions = { delivery?: string; subscriber?: string; from?: Date; to?: Date };

/** `lodged deliveries` */
export function addDeliveryCommands(program: Command, print: PrintFromDatabase): void {
  const deliveries = program.command("deliveries").description("list deliveries, and resend them");
  deliveries
    .command("status")
    .description("count deliveries by state")
    .action(async () => {
      const { countDeliveries } = await import("./measure-deliveries.ts");
      await print(({ pool }) => countDeliveries(pool));
    });
  deliveries
    .command("list")
    .description("list deliveries, the newest first, each with the result of its last attempt")
    .addOption(
      new Option("--state <state>", "only deliveries in this state").choices([
        "waiting",
        "failed",
        "dead",
        "delivered",
      ]),
    )
    .option("--subscriber <id>", "only deliveries to this subscriber", parseUuid)
    .option("--limit <count>", "the number to list, up to 1000", parseListLength, 50)
    .action(async ({ state, subscriber, limit }: ListOptions) => {
      const { listDeliveries } = await import("./list-deliveries.ts");
      await print(({ pool }) => listDeliveries(pool, { state, subscriberId: subscriber }, limit));
    });
  deliveries
    .command("show")
    .argument("<id>", "a delivery, by its id", parseUuid)
    .description("show a delivery with every attempt and its answer")
    .action(async (id: string) => {
      const { showDelivery } = await import("./show-delivery.ts");
      await print(({ pool }) => showDelivery(pool, id));
    });
  deliveries
    .command("resend")
    .description("resend permanently failed (dead) deliveries, or any one delivery")
    .option("--delivery <id>", "this one", parseUuid)
    .option("--subscriber <id>", "dead deliveries to this subscriber", parseUuid)
    .option("--from <time>", "dead deliveries of events received at this time or later", parseTime)
    .option("--to <time>", "dead deliveries of events received before this time", parseTime)
    .action(async ({ delivery, subscriber, ...range }: ResendOptions) => {
      if (!delivery && !subscriber && !range.from && !range.to) {
        throw new OperatorError("Choose deliveries with --delivery, --subscriber, --from or --to.");
      }
      const { resendDeliveries } = await import("./resend-deliveries.ts");
      const { whyNoneResent } = await import("./why-none-resent.ts");
      const which = delivery ? { deliveryId: delivery } : { subscriberId: subscriber, ...range };
      await print(async ({ pool }) => {
        const resent = await resendDeliveries(pool, which);
        if (resent === 0) console.error(await whyNoneResent(pool, which));
        return { resent };
      });
    });
}

function parseListLength(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > 1000) {
    throw new InvalidArgumentError("It must be a number from 1 to 1000.");
  }
  return count;
}

function parseTime(text: string): Date {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) throw new InvalidArgumentError("It must be a time such as 2026-01-31T12:00:00Z.");
  return at;
}
