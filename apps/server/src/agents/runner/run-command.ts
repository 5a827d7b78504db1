import { type ChildProcess, spawn } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** Where things of a run lie, as its runner sees them. */
export type RunFolders = {
  /** The clone that the agent works in. */
  tree: string;
  ticketFile: string;
  proxySocket: string;
  /** Where `lodge-ask` asks. */
  questionSocket: string;
  /** Programs of ours that the command finds. */
  bin: string;
  /** Files that stand in for those of /etc. */
  etc: string;
};

/** Limits of a run. What the sandbox does not hold by itself is looked at twice a second. */
export type RunLimits = { timeoutMs: number; memoryBytesMax: number; processesMax: number };

/** What came of a command: its exit code, or why it was ended. */
export type CommandEnd =
  | { kind: "exited"; code: number }
  | { kind: "ended"; why: "timed_out" | "too_much_memory" | "too_many_processes" | "aborted" }
  | { kind: "not_started"; message: string };

/** What a runner has of its own environment. */
export type HostEnvironment = { PATH: string; HOME: string };

type Command = {
  command: string;
  folders: RunFolders;
  /** What the command gets beside the path to its home and its ticket. */
  env: Record<string, string>;
  /** Directories that it may read beside /usr. */
  readable: readonly string[];
  limits: RunLimits;
  isSandboxed: boolean;
  /** The runner's own, to find programs and, without a sandbox, the agent's settings. */
  host: HostEnvironment;
  onOutput: (piece: Buffer, isError: boolean) => void;
  /** Speaks to the command over its standard input, until it says that all is said; without it that is empty. */
  converse: ((send: (line: string) => void, over: () => void) => void) | undefined;
  /** For how long the command has waited for people, in milliseconds: that time is not the command's. */
  waitedMs: () => number;
  signal: AbortSignal;
};

/** What asks people, for the command: `lodge-ask "Which one?"` prints the answer. */
export const askProgram = "lodge-ask";

const watchMs = 500;
/** What is kept for a command that does not listen; what comes after that is not said to it. */
const unheardBytesMax = 16 * 1_048_576;
/** How long a command may take to end once all is said. */
const farewellMs = 5_000;
const entry = fileURLToPath(new URL("./sandbox-entry.ts", import.meta.url));
const asker = fileURLToPath(new URL("./sandbox-ask.ts", import.meta.url));
const inside = {
  tree: "/work",
  ticketFile: "/lodge/ticket.md",
  proxySocket: "/lodge/proxy.sock",
  questionSocket: "/lodge/ask.sock",
  bin: "/lodge/bin",
  node: "/lodge/node",
  asker: "/lodge/ask.ts",
  home: "/home/agent",
};

/** Where the command finds its clone. */
export const treeOf = (folders: RunFolders, isSandboxed: boolean): string => (isSandboxed ? inside.tree : folders.tree);

/** The script that asks people. */
export const askScript = (folders: RunFolders, isSandboxed: boolean): string => {
  const parts = isSandboxed
    ? [inside.node, inside.asker, inside.questionSocket]
    : [process.execPath, asker, folders.questionSocket];
  return `#!/bin/sh\nexec ${parts.map((part) => `'${part.replaceAll("'", "'\\''")}'`).join(" ")} "$@"\n`;
};
/** What programs need of /etc to find libraries and check certificates; none of it is secret. */
const etcParts = [
  "/etc/ssl",
  "/etc/pki",
  "/etc/ca-certificates",
  "/etc/alternatives",
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/localtime",
  "/etc/mime.types",
];

/** The environment of a command, as it is inside the sandbox or without one. */
const environmentOf = ({ folders, env, isSandboxed, readable, host }: Command): Record<string, string> => ({
  PATH: isSandboxed
    ? [inside.bin, ...readable, "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"].join(":")
    : [folders.bin, ...readable, host.PATH].join(":"),
  LANG: "C.UTF-8",
  ...(isSandboxed && {
    HOME: inside.home,
    TMPDIR: "/tmp",
    ...Object.fromEntries(
      ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"].map((name) => [name, "http://127.0.0.1:3128"]),
    ),
    NO_PROXY: "localhost,127.0.0.1",
    no_proxy: "localhost,127.0.0.1",
    NODE_USE_ENV_PROXY: "1",
  }),
  LODGE_TICKET_FILE: isSandboxed ? inside.ticketFile : folders.ticketFile,
  ...env,
});

/** The options that bubblewrap makes a sandbox of: namespaces of its own, the clone to write, and little to read. */
function sandboxOptions(command: Command): string[] {
  const { folders, readable } = command;
  const environment = environmentOf(command);
  return [
    "--unshare-all",
    ...["--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000"],
    ...["--cap-drop", "ALL"],
    ...["--die-with-parent", "--new-session", "--hostname", "sandbox", "--json-status-fd", "4"],
    ...["--ro-bind", "/usr", "/usr"],
    ...["/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32"].flatMap((path) => ["--ro-bind-try", path, path]),
    ...etcParts.flatMap((path) => ["--ro-bind-try", path, path]),
    ...["passwd", "group", "hosts"].flatMap((name) => ["--ro-bind", `${folders.etc}/${name}`, `/etc/${name}`]),
    ...readable.flatMap((path) => ["--ro-bind", path, path]),
    ...["--proc", "/proc", "--dev", "/dev"],
    ...["--size", "1073741824", "--tmpfs", "/tmp", "--size", "1073741824", "--tmpfs", "/home", "--dir", inside.home],
    ...["--bind", folders.tree, inside.tree],
    ...["--ro-bind", folders.ticketFile, inside.ticketFile],
    ...["--bind", folders.proxySocket, inside.proxySocket, "--bind", folders.questionSocket, inside.questionSocket],
    ...["--ro-bind", folders.bin, inside.bin, "--ro-bind", asker, inside.asker],
    ...["--ro-bind", process.execPath, inside.node, "--ro-bind", entry, "/lodge/entry.ts"],
    // What is in memory has a size, so nothing else there can be written.
    ...["--size", "268435456", "--tmpfs", "/dev/shm", "--remount-ro", "/dev", "--remount-ro", "/"],
    ...["--chdir", inside.tree, "--clearenv"],
    ...Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
}

/**
 * Runs a command until it ends, with all of its processes, detached ones too: they are in a process namespace, which ends
 * with its first. Without a sandbox, those that have inherited its environment.
 */
export async function runCommand(command: Command): Promise<CommandEnd> {
  const { folders, limits, isSandboxed, host, onOutput, converse, waitedMs, signal } = command;
  const stdin = converse ? "pipe" : "ignore";
  if (signal.aborted) return { kind: "ended", why: "aborted" };
  let status = "";
  // bubblewrap takes its options, the secrets of the command's environment among them, from a pipe: everybody may read
  // an argument.
  const child = isSandboxed
    ? spawn("bwrap", ["--args", "3", "--", inside.node, "/lodge/entry.ts", inside.proxySocket, command.command], {
        stdio: [stdin, "pipe", "pipe", "pipe", "pipe"],
        env: { PATH: host.PATH },
      })
    : spawn("/bin/sh", ["-c", command.command], {
        cwd: folders.tree,
        env: { ...environmentOf(command), HOME: host.HOME },
        stdio: [stdin, "pipe", "pipe"],
        detached: true,
      });
  if (isSandboxed) {
    const pipe = child.stdio[3] as NodeJS.WritableStream;
    pipe.on("error", () => {}); // it ended before it had read them, and says why
    pipe.end(
      sandboxOptions(command)
        .map((argument) => `${argument}\0`)
        .join(""),
    );
    (child.stdio[4] as Readable).setEncoding("utf8").on("data", (text: string) => {
      status += text;
    });
  }
  let said = "";
  let why: Extract<CommandEnd, { kind: "ended" }>["why"] | undefined;
  let isDismissed = false;
  const killAll = () => kill(child, command);
  const end = (reason: typeof why) => {
    why ??= reason;
    killAll();
  };
  const onAbort = () => end("aborted");
  signal.addEventListener("abort", onAbort);
  let timeout: NodeJS.Timeout | undefined;
  const letRun = (ms: number, waitedBefore: number) => {
    timeout = setTimeout(() => {
      const waited = waitedMs();
      if (waited > waitedBefore) letRun(waited - waitedBefore, waited);
      else end("timed_out");
    }, ms);
  };
  letRun(limits.timeoutMs, 0);
  let farewell: NodeJS.Timeout | undefined;
  converse?.(
    (line) => {
      if (child.stdin && child.stdin.writableLength <= unheardBytesMax) child.stdin.write(line);
    },
    () => {
      child.stdin?.end();
      farewell = setTimeout(() => {
        isDismissed = true;
        killAll();
      }, farewellMs);
    },
  );
  child.stdin?.on("error", () => {}); // it ended before it had heard all
  const watch = setInterval(() => {
    usageOf(child, command)
      .then(({ memoryBytes, processes }) => {
        if (memoryBytes > limits.memoryBytesMax) end("too_much_memory");
        else if (processes > limits.processesMax) end("too_many_processes");
      })
      .catch(() => {}); // it has ended meanwhile
  }, watchMs);
  child.stdout?.on("data", (piece: Buffer) => onOutput(piece, false));
  child.stderr?.on("data", (piece: Buffer) => {
    said = (said + piece.toString("latin1")).slice(-500);
    onOutput(piece, true);
  });
  try {
    return await new Promise<CommandEnd>((resolve) => {
      child.on("error", (error) => resolve({ kind: "not_started", message: error.message }));
      child.on("exit", killAll); // what it has left behind, which may hold the pipes open
      child.on("close", (code) => {
        if (why) resolve({ kind: "ended", why });
        else if (isDismissed) resolve({ kind: "exited", code: 0 });
        // It tells of an exit code where the command was run at all.
        else if (isSandboxed && !status.includes("exit-code")) resolve({ kind: "not_started", message: said });
        else resolve({ kind: "exited", code: code ?? 1 });
      });
    });
  } finally {
    await endOf(firstOf(status));
    clearTimeout(timeout);
    clearTimeout(farewell);
    clearInterval(watch);
    signal.removeEventListener("abort", onAbort);
  }
}

/** Why no sandbox can be made here; undefined where one can. */
export async function whyNoSandbox(host: HostEnvironment): Promise<string | undefined> {
  const options = [
    "--unshare-all",
    "--unshare-user",
    "--disable-userns",
    "--ro-bind",
    "/",
    "/",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
  ];
  const child = spawn("bwrap", [...options, "--", "true"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: host.PATH },
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(0, 500);
  });
  return new Promise((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code) => resolve(code === 0 ? undefined : said.trim() || `bwrap ended with ${code}`));
  });
}

/**
 * Ends all processes of a run: with a sandbox its first one takes the others along; without, those that have left the
 * group of the first one are known by their environment.
 */
function kill(child: ChildProcess, command: Command) {
  if (child.pid === undefined) return;
  killNow(command.isSandboxed ? child.pid : -child.pid);
  if (!command.isSandboxed) void killDetached(child, command);
}

/** The first process of a sandbox, by what bubblewrap has told. */
const firstOf = (status: string): string | undefined => /"child-pid":\s*(\d+)/.exec(status)?.[1];

/** Waits for the end of the first process of a sandbox, before which the kernel ends all others. */
async function endOf(pid: string | undefined) {
  const isOver = async () =>
    /^(?:[ZX]|$)/.test((await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")).split(") ").at(-1) ?? "");
  while (pid !== undefined && !(await isOver())) await sleep(5);
}

/** Ends a process, or with a negative number a group of them, if it is there. */
export function killNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it has ended
  }
}

/** Again until there is none, for one that is ended may have started another. */
async function killDetached(child: ChildProcess, command: Command) {
  for (let found = await processesOf(child, command); found.length > 0; found = await processesOf(child, command)) {
    for (const pid of found) killNow(pid);
    await sleep(10);
  }
}

/** The processes of a run: those in its process namespace; without a sandbox those that have inherited its environment. */
async function processesOf({ pid }: ChildProcess, { isSandboxed, env }: Command): Promise<number[]> {
  // bubblewrap's own child is the first process of the namespace.
  const children = isSandboxed ? await readFile(`/proc/${pid}/task/${pid}/children`, "utf8") : "";
  const namespace = isSandboxed ? await readlink(`/proc/${children.trim().split(" ")[0]}/ns/pid`) : "";
  const isOurs = async (other: string) =>
    isSandboxed
      ? (await readlink(`/proc/${other}/ns/pid`).catch(() => "")) === namespace
      : `\0${await readFile(`/proc/${other}/environ`, "latin1").catch(() => "")}`.includes(
          `\0LODGE_RUN_ID=${env.LODGE_RUN_ID}\0`,
        );
  const found: number[] = [];
  for (const name of await readdir("/proc")) if (/^\d+$/.test(name) && (await isOurs(name))) found.push(Number(name));
  return found;
}

/** What the processes of a run use. */
async function usageOf(child: ChildProcess, command: Command) {
  const found = await processesOf(child, command);
  let memoryBytes = 0;
  for (const pid of found) {
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    memoryBytes += Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024;
  }
  return { memoryBytes, processes: found.length };
}
