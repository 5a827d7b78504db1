import { type ChildProcess, spawn } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

/** Where things of a run lie, as its runner sees them. */
export type RunFolders = {
  /** The clone that the agent works in. */
  tree: string;
  ticketFile: string;
  proxySocket: string;
  /** Files that stand in for those of /etc. */
  etc: string;
};

/** Limits of a run. What the sandbox does not hold by itself is looked at every second. */
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
  onOutput: (piece: Buffer) => void;
  signal: AbortSignal;
};

const watchMs = 1_000;
const entry = fileURLToPath(new URL("./sandbox-entry.ts", import.meta.url));
const inside = { tree: "/work", ticketFile: "/lodge/ticket.md", proxySocket: "/lodge/proxy.sock", home: "/home/agent" };
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
const environmentOf = ({ folders, env, isSandboxed, readable }: Command): Record<string, string> => ({
  PATH: [...readable, "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"].join(":"),
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
    ...["--bind", folders.proxySocket, inside.proxySocket],
    ...["--ro-bind", process.execPath, "/lodge/node", "--ro-bind", entry, "/lodge/entry.ts"],
    // What is in memory has a size, so nothing else there can be written.
    ...["--size", "268435456", "--tmpfs", "/dev/shm", "--remount-ro", "/dev", "--remount-ro", "/"],
    ...["--chdir", inside.tree, "--clearenv"],
    ...Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
}

/**
 * Runs a command until it ends, with all of its processes, detached ones too: they are in a process namespace, which ends
 * with its first. Without a sandbox, those of its process group.
 */
export async function runCommand(command: Command): Promise<CommandEnd> {
  const { folders, limits, isSandboxed, host, onOutput, signal } = command;
  if (signal.aborted) return { kind: "ended", why: "aborted" };
  let status = "";
  // bubblewrap takes its options, the secrets of the command's environment among them, from a pipe: everybody may read
  // an argument.
  const child = isSandboxed
    ? spawn("bwrap", ["--args", "3", "--", "/lodge/node", "/lodge/entry.ts", inside.proxySocket, command.command], {
        stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
        env: { PATH: host.PATH },
      })
    : spawn("/bin/sh", ["-c", command.command], {
        cwd: folders.tree,
        env: { ...environmentOf(command), HOME: host.HOME, PATH: host.PATH },
        stdio: ["ignore", "pipe", "pipe"],
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
  const end = (reason: typeof why) => {
    why ??= reason;
    kill(child, isSandboxed);
  };
  const onAbort = () => end("aborted");
  signal.addEventListener("abort", onAbort);
  const timeout = setTimeout(() => end("timed_out"), limits.timeoutMs);
  const watch = setInterval(() => {
    usageOf(child, isSandboxed)
      .then(({ memoryBytes, processes }) => {
        if (memoryBytes > limits.memoryBytesMax) end("too_much_memory");
        else if (processes > limits.processesMax) end("too_many_processes");
      })
      .catch(() => {}); // it has ended meanwhile
  }, watchMs);
  child.stdout?.on("data", onOutput);
  child.stderr?.on("data", (piece: Buffer) => {
    said = (said + piece.toString("latin1")).slice(-500);
    onOutput(piece);
  });
  try {
    return await new Promise<CommandEnd>((resolve) => {
      child.on("error", (error) => resolve({ kind: "not_started", message: error.message }));
      child.on("exit", () => kill(child, isSandboxed)); // what it has left behind, which may hold the pipes open
      child.on("close", (code) => {
        if (why) resolve({ kind: "ended", why });
        // It tells of an exit code where the command was run at all.
        else if (isSandboxed && !status.includes("exit-code")) resolve({ kind: "not_started", message: said });
        else resolve({ kind: "exited", code: code ?? 1 });
      });
    });
  } finally {
    clearTimeout(timeout);
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

function kill(child: ChildProcess, isSandboxed: boolean) {
  if (child.pid === undefined) return;
  try {
    process.kill(isSandboxed ? child.pid : -child.pid, "SIGKILL");
  } catch {
    // it has ended
  }
}

/** What the processes of a run use: those in its process namespace, or in its session without one. */
async function usageOf(child: ChildProcess, isSandboxed: boolean) {
  let memoryBytes = 0;
  let processes = 0;
  const found = await readdir("/proc");
  // bubblewrap's own child is the first process of the namespace.
  const children = isSandboxed ? await readFile(`/proc/${child.pid}/task/${child.pid}/children`, "utf8") : "";
  const namespace = isSandboxed ? await readlink(`/proc/${children.trim().split(" ")[0]}/ns/pid`) : "";
  for (const pid of found.filter((name) => /^\d+$/.test(name))) {
    const isOurs = isSandboxed
      ? (await readlink(`/proc/${pid}/ns/pid`).catch(() => "")) === namespace
      : (await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")).split(") ").at(-1)?.split(" ")[2] ===
        `${child.pid}`;
    if (!isOurs) continue;
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    processes++;
    memoryBytes += Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024;
  }
  return { memoryBytes, processes };
}
