import { Command, InvalidArgumentError, Option } from "commander";
import { systemClock } from "./platform/clock.ts";
import { type Config, readConfig } from "./platform/config/config.ts";
import { openPool, queryBuilder } from "./platform/database/database.ts";
import { migrate } from "./platform/database/migrate.ts";
import { openDatabase, requireDatabase } from "./platform/database/open-database.ts";
import { OperatorError } from "./platform/errors.ts";
import { createLog } from "./platform/observe/log.ts";
import { listenForStop } from "./platform/stop-signal.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Runs `lodged`. Standard output carries only the result; a mistake is one message on standard error and exit code 1. */
export async function runCommandLine(argv: readonly string[], env: Environment): Promise<void> {
  const program = new Command("lodged").description("The Lodge server.").showHelpAfterError();

  program
    .command("serve")
    .description("run the server until it is told to stop")
    .action(async () => {
      const { serve } = await import("./serve.ts");
      // Between the lines of the log it has to catch the eye.
      const rule = "─".repeat(78);
      await serve(readConfig(env), (text) => process.stdout.write(`\n${rule}\n${text}\n${rule}\n\n`));
    });

  program
    .command("migrate")
    .description("bring the database up to date")
    .action(async () => {
      const applied = await withDatabase(readConfig(env), (_pool, migrations) => Promise.resolve(migrations), "make");
      for (const name of applied) console.log(name);
    });

  program
    .command("apply")
    .argument("<file>", "a JSON or YAML file; - for standard input")
    .description("create what the file describes, and update what differs")
    .action(async (file: string) => {
      const { applyWorld, checkWorld } = await import("./provisioning/apply-world.ts");
      const { readWorld } = await import("./provisioning/read-world.ts");
      const world = checkWorld(await readWorld(file));
      const applied = await withDatabase(readConfig(env), (pool) => applyWorld(basics(pool), world), "make");
      console.log(JSON.stringify(applied, null, 2));
    });

  program
    .command("doctor")
    .description("check what the server stands on, and say what to do about what is wrong; changes nothing")
    .action(async () => {
      const { examine } = await import("./doctor.ts");
      for await (const { state, text } of examine(() => readConfig(env))) {
        console.log(`${state.padEnd(6)} ${text}`);
        if (state === "wrong") process.exitCode = 1;
      }
    });

  program
    .command("worker")
    .description("run only the worker, beside servers on the same database")
    .action(async () => {
      const config = readConfig(env);
      if (!config.databaseUrl) {
        throw new OperatorError("With the embedded database the server is its own worker; set DATABASE_URL.");
      }
      const { serve } = await import("./serve.ts");
      await serve({ ...config, roles: ["worker"] }, (text) => process.stdout.write(`${text}\n`));
    });

  const keys = program.command("keys").description("look after the SDK keys that reports are sent with");
  keys
    .command("list")
    .argument("<organisation>", "the slug of the organisation")
    .description("show the keys of all its apps, those that are revoked too")
    .action(async (organisation: string) => {
      const { listKeys } = await import("./apps/list-keys.ts");
      const found = await withDatabase(readConfig(env), (pool) => listKeys(queryBuilder(pool), organisation));
      console.log(JSON.stringify(found, null, 2));
    });
  keys
    .command("revoke")
    .argument("<id>", "a key, by its id", uuid)
    .description("refuse a key from now on; apply the file again for a new one of its name")
    .action(async (id: string) => {
      const { revokeKey } = await import("./apps/revoke-key.ts");
      const revokedAt = await withDatabase(readConfig(env), (pool) => revokeKey(basics(pool), id));
      console.log(JSON.stringify({ id, revokedAt }));
    });

  const deliveries = program.command("deliveries").description("see what is not delivered, and send it again");
  deliveries
    .command("status")
    .description("count deliveries by state")
    .action(async () => {
      const { countDeliveries } = await import("./deliveries/measure-deliveries.ts");
      console.log(JSON.stringify(await withDatabase(readConfig(env), countDeliveries), null, 2));
    });
  deliveries
    .command("list")
    .description("show deliveries, the newest first, each with what came of its last attempt")
    .addOption(new Option("--state <state>", "those in this state").choices(["waiting", "failed", "dead", "delivered"]))
    .option("--subscriber <id>", "those to this subscriber", uuid)
    .option("--limit <count>", "at most so many, up to 1000", listLength, 50)
    .action(async ({ state, subscriber, limit }: { state?: string; subscriber?: string; limit: number }) => {
      const { listDeliveries } = await import("./deliveries/list-deliveries.ts");
      const found = await withDatabase(readConfig(env), (pool) =>
        listDeliveries(pool, { state, subscriberId: subscriber }, limit),
      );
      console.log(JSON.stringify(found, null, 2));
    });
  deliveries
    .command("show")
    .argument("<id>", "a delivery, by its id", uuid)
    .description("show a delivery with every attempt at it, and what was answered")
    .action(async (id: string) => {
      const { showDelivery } = await import("./deliveries/show-delivery.ts");
      const found = await withDatabase(readConfig(env), (pool) => showDelivery(pool, id));
      console.log(JSON.stringify(found, null, 2));
    });
  deliveries
    .command("resend")
    .description("send dead deliveries again, or one that may also have been delivered")
    .option("--delivery <id>", "this one", uuid)
    .option("--subscriber <id>", "the dead ones of this subscriber", uuid)
    .option("--from <time>", "the dead ones of events received since", time)
    .option("--to <time>", "… and before", time)
    .action(async ({ delivery, subscriber, ...range }: ResendOptions) => {
      if (!delivery && !subscriber && !range.from && !range.to) {
        throw new OperatorError("Say which: --delivery, --subscriber, --from or --to.");
      }
      const { resendDeliveries } = await import("./deliveries/resend-deliveries.ts");
      const which = delivery ? { deliveryId: delivery } : { subscriberId: subscriber, ...range };
      const resent = await withDatabase(readConfig(env), (pool) => resendDeliveries(pool, which));
      console.log(JSON.stringify({ resent }));
    });

  const subscribers = program.command("subscribers").description("look after who is told of events");
  subscribers
    .command("enable")
    .argument("<id>", "a subscriber that was disabled", uuid)
    .description("take a disabled subscriber back in")
    .action(async (id: string) => {
      const { enableSubscriber } = await import("./subscribers/enable-subscriber.ts");
      await withDatabase(readConfig(env), (pool) => enableSubscriber(pool, id));
      console.log(JSON.stringify({ id, enabled: true }));
    });
  subscribers
    .command("rotate-secret")
    .argument("<id>", "a webhook", uuid)
    .description("give a webhook a new signing secret; the old one signs as well for 24 h")
    .action(async (id: string) => {
      const { rotateSecret } = await import("./subscribers/rotate-secret.ts");
      const secret = await withDatabase(readConfig(env), (pool) => rotateSecret(queryBuilder(pool), id));
      console.log(JSON.stringify({ id, secret }));
    });

  program
    .command("plan")
    .description("change what an organisation has booked")
    .command("set")
    .argument("<organisation>", "the slug of the organisation")
    .argument("<plan>", "free, team or business")
    .description("put an organisation on a plan; an upgrade ends a suspension at once")
    .action(async (organisation: string, plan: string) => {
      const { setPlan } = await import("./organisations/set-plan.ts");
      const set = await withDatabase(readConfig(env), (pool) => setPlan(basics(pool), organisation, plan));
      console.log(JSON.stringify(set, null, 2));
    });

  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    console.error(error instanceof OperatorError ? error.message : error);
    process.exitCode = 1;
  }
}

type ResendOptions = { delivery?: string; subscriber?: string; from?: Date; to?: Date };

const basics = (pool: ReturnType<typeof openPool>) => ({ db: queryBuilder(pool), clock: systemClock });

async function withDatabase<T>(
  config: Config,
  use: (pool: ReturnType<typeof openPool>, migrations: string[]) => Promise<T>,
  missing: "refuse" | "make" = "refuse",
): Promise<T> {
  if (missing === "refuse") await requireDatabase(config);
  // A PostgreSQL that was started for this command is stopped again, whatever the terminal says meanwhile.
  const { asked } = listenForStop();
  const database = await openDatabase(config, "command", asked);
  const pool = openPool(database.address, createLog("silent"));
  try {
    return await use(pool, await migrate(pool));
  } finally {
    await pool.end();
    await database.close();
  }
}

function uuid(text: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) throw new InvalidArgumentError("It must be a UUID.");
  return text;
}

function listLength(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > 1000) {
    throw new InvalidArgumentError("It must be a number from 1 to 1000.");
  }
  return count;
}

function time(text: string): Date {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) throw new InvalidArgumentError("It must be a time such as 2026-01-31T12:00:00Z.");
  return at;
}
