import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { locatePostgres } from "../platform/postgres/embedded-postgres.ts";
import { findPostmaster } from "../platform/postgres/postmaster.ts";
import { lodgedMain } from "./lodged-main.ts";
import { testPostgres } from "./test-postgres.ts";
import { until } from "./until.ts";

/** How a `lodged` ended. */
type End = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };

/** A `lodged` in its own process. */
export type Lodged = {
  pid: number;
  /** Its output so far. */
  stdout: () => string;
  /** Resolves when a line of its log, or of its standard error, contains the text. Throws if it ends first. */
  said: (text: string) => Promise<void>;
  /** The address that it serves on, once it is ready. Throws if it ends first. */
  ready: () => Promise<string>;
  kill: (signal: NodeJS.Signals) => void;
  ended: Promise<End>;
};

/** A data directory for one test. Disposing of it ends every process that uses it. */
export type Home = AsyncDisposable & {
  /** The folder that contains it, also for this test only. */
  folder: string;
  dataDir: string;
  /** Where its PostgreSQL listens while it runs. */
  database: ReturnType<typeof locatePostgres>["address"];
  /** Runs `lodged` with these settings on a free port. */
  run: (args: string[], env?: Record<string, string>, as?: RunAs) => Lodged;
  /** Starts a server and waits until it is ready. */
  serve: (env?: Record<string, string>, as?: RunAs) => Promise<Lodged & { url: string }>;
  /** The process id of the data directory's running PostgreSQL. */
  postmaster: () => Promise<number | undefined>;
};

/** The user to run as, and which copy of the program on which Node. */
export type RunAs = { uid?: number; gid?: number; main?: string; node?: string };

/** Creates a folder for a data directory, which the first start creates itself. */
export async function makeHome(path = "data"): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), "lodge-home-"));
  const home = join(folder, path);
  const { cluster, address } = locatePostgres(home);
  const postmaster = () => findPostmaster(cluster);
  const started: ChildProcess[] = [];

  const run: Home["run"] = (args, env = {}, { main = lodgedMain(), node = process.execPath, ...as } = {}) => {
    const child = spawn(node, [main, ...args], {
      // No proxy in front of it needs to notice that it stops.
      env: { ...inherited, PORT: "0", LODGE_DATA_DIR: home, LODGE_DRAIN_SECONDS: "0", ...env },
      cwd: tmpdir(),
      stdio: ["ignore", "pipe", "pipe"],
      ...as,
    });
    started.push(child);
    return watch(child);
  };

  return {
    folder,
    dataDir: home,
    database: address,
    run,
    postmaster,
    serve: async (env, as) => {
      const lodged = run(["serve"], env, as);
      return { ...lodged, url: await lodged.ready() };
    },
    [Symbol.asyncDispose]: async () => {
      for (const child of started) child.kill("SIGKILL");
      const pid = await postmaster();
      if (pid !== undefined) process.kill(pid, "SIGQUIT");
      await until(async () => (await postmaster()) === undefined);
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** The variables of `npm test` that a `lodged` inherits: paths of commands, temporary files and compiled modules. */
const inherited = Object.fromEntries(
  ["PATH", "TMPDIR", "NODE_COMPILE_CACHE"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

/** The same with a created and migrated but empty database, for tests that are not about the first start. */
export async function makeMigratedHome(): Promise<Home> {
  const home = await makeHome();
  await mkdir(home.dataDir, { mode: 0o700 });
  await promisify(execFile)("cp", ["-a", testPostgres().cluster ?? "", locatePostgres(home.dataDir).cluster]);
  return home;
}

function watch(child: ChildProcess): Lodged {
  let stdout = "";
  let stderr = "";
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    changed();
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    changed();
  });
  let isOver = false;
  const ended = new Promise<End>((resolve) => {
    child.on("error", (error) => {
      stderr += error.message; // it could not be started
    });
    child.on("close", (code, signal) => {
      isOver = true;
      resolve({ code, signal, stdout, stderr });
      changed();
    });
  });

  const waitFor = <T>(what: string, find: () => T | undefined) =>
    new Promise<T>((resolve, reject) => {
      const look = () => {
        const found = find();
        if (found === undefined && !isOver) return;
        listeners.delete(look);
        if (found !== undefined) resolve(found);
        else reject(new Error(`lodged ended before ${what}:\n${stdout}\n${stderr}`));
      };
      listeners.add(look);
      look();
    });

  return {
    pid: child.pid ?? 0,
    stdout: () => stdout,
    said: async (text) => {
      await waitFor(`it said ${text}`, () => (`${stdout}${stderr}`.includes(text) ? true : undefined));
    },
    ready: () => waitFor("it was ready", () => /"address":"([^"]+)".*"msg":"ready"/.exec(stdout)?.[1]),
    kill: (signal) => child.kill(signal),
    ended,
  };
}

/** The processes whose command line contains a text, including PostgreSQL's. */
export function processesNaming(text: string): string[] {
  const { stdout } = spawnSync("ps", ["-A", "-ww", "-o", "pid=,args="], { encoding: "utf8" });
  return stdout.split("\n").filter((line) => line.includes(text));
}

/** The processes that a process has started. */
export function childrenOf(pid: number): { pid: number; command: string }[] {
  const { stdout } = spawnSync("ps", ["-A", "-ww", "-o", "pid=,ppid=,args="], { encoding: "utf8" });
  return stdout
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [])
    .filter(([, , parent]) => Number(parent) === pid)
    .map(([, child, , command = ""]) => ({ pid: Number(child), command }));
}
