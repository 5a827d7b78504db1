import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { choosePostgresUser } from "../platform/postgres/postgres-user.ts";
import { freePort } from "./free-port.ts";
import { untilListening } from "./until-listening.ts";

/** A real pgbouncer in front of the PostgreSQL of a test. */
export type Pooler = AsyncDisposable & {
  /** The DATABASE_URL through it. */
  url: string;
  /** Stops forwarding, with connections left open, until `resume`. */
  pause: () => void;
  resume: () => void;
  /** Kills it with -9, and starts it again. */
  restart: () => Promise<void>;
};

/** Starts Debian's pgbouncer for the database of a URL whose `host` is a Unix socket folder. */
export async function startPooler(
  databaseUrl: string,
  { mode = "session", sessions = 100 }: { mode?: "session" | "transaction"; sessions?: number } = {},
): Promise<Pooler> {
  const { searchParams, username, pathname } = new URL(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), "lodge-pooler-"));
  const port = await freePort();
  const settings = join(folder, "pgbouncer.ini");
  await writeFile(
    settings,
    `[databases]
* = host=${searchParams.get("host")} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${sessions}
max_client_conn = 1000
`,
  );
  const user = await choosePostgresUser("/usr/sbin", folder, folder); // it also refuses to run as root
  const { command, args, ...as } = user.command("pgbouncer", [settings]);
  const start = async () => {
    const child = spawn(command, args, { ...as, stdio: ["ignore", "pipe", "pipe"] });
    const exited = once(child, "exit");
    await untilListening(child, port);
    return {
      child,
      end: async () => {
        child.kill("SIGKILL");
        await exited;
      },
    };
  };
  let running = await start();
  return {
    url: `postgres://${username}@127.0.0.1:${port}${pathname}`,
    pause: () => void running.child.kill("SIGSTOP"),
    resume: () => void running.child.kill("SIGCONT"),
    restart: async () => {
      await running.end();
      running = await start();
    },
    [Symbol.asyncDispose]: async () => {
      await running.end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
