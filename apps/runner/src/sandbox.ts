import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { seccompFilter } from "./seccomp-filter.ts";

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

/** Limits of a run. Limits that the sandbox itself does not enforce are checked twice a second. */
export type RunLimits = { timeoutMs: number; memoryBytesMax: number; processesMax: number };

/** The parts of its own environment that a runner uses. */
export type HostEnvironment = {
  PATH: string;
  HOME: string;
  /** A file with the certificate authorities that git trusts; undefined for the system's. */
  GIT_SSL_CAINFO?: string | undefined;
};

/** A command to run, and the place to run it in. */
export type Command = {
  command: string;
  folders: RunFolders;
  /** The variables that the command gets beside the path to its home and its ticket. */
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

/** Our programs beside the command: what asks people (`lodge-ask "Which one?"`), the script that calls it, what enters. */
export const askName = "lodge-ask";
export const askFile = "ask.mjs";
export const entryFile = "enter.mjs";

const inside = {
  tree: "/work",
  ticketFile: "/lodge/ticket.md",
  proxySocket: "/lodge/proxy.sock",
  questionSocket: "/lodge/ask.sock",
  bin: "/lodge/bin",
  node: "/lodge/node",
  home: "/home/agent",
};

/** Where the command finds its clone. */
export const treeOf = (folders: RunFolders, isSandboxed: boolean): string => (isSandboxed ? inside.tree : folders.tree);

/** The script that asks people. */
export const askScript = (folders: RunFolders, isSandboxed: boolean): string => {
  const parts = isSandboxed
    ? [inside.node, `${inside.bin}/${askFile}`, inside.questionSocket]
    : [process.execPath, `${folders.bin}/${askFile}`, folders.questionSocket];
  return `#!/bin/sh\nexec ${parts.map((part) => `'${part.replaceAll("'", "'\\''")}'`).join(" ")} "$@"\n`;
};
/** The parts of /etc that programs need to find libraries and check certificates; none of it is secret. */
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
    ...["--die-with-parent", "--new-session", "--hostname", "sandbox", "--json-status-fd", "4", "--seccomp", "5"],
    ...["--ro-bind", "/usr", "/usr"],
    ...["/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32"].flatMap((path) => ["--ro-bind-try", path, path]),
    ...etcParts.flatMap((path) => ["--ro-bind-try", path, path]),
    ...["passwd", "group", "hosts"].flatMap((name) => ["--ro-bind", `${folders.etc}/${name}`, `/etc/${name}`]),
    ...["--proc", "/proc", "--dev", "/dev"],
    ...["--size", "1073741824", "--tmpfs", "/tmp", "--size", "1073741824", "--tmpfs", "/home", "--dir", inside.home],
    ...["--bind", folders.tree, inside.tree],
    ...["--ro-bind", folders.ticketFile, inside.ticketFile],
    ...["--bind", folders.proxySocket, inside.proxySocket, "--bind", folders.questionSocket, inside.questionSocket],
    ...["--ro-bind", folders.bin, inside.bin, "--ro-bind", process.execPath, inside.node],
    // Mounts in memory have a size, so nothing else there can be written.
    ...["--size", "268435456", "--tmpfs", "/dev/shm"],
    // After all of these, which would hide what lies below them.
    ...readable.flatMap((path) => ["--ro-bind", path, path]),
    ...["--remount-ro", "/dev", "--remount-ro", "/"],
    ...["--chdir", inside.tree, "--clearenv"],
    ...Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
}

/**
 * Starts a command in a sandbox, or without one. `status` is what bubblewrap tells: the number of the first process, and an
 * exit code where the command was run at all.
 */
export function startCommand(command: Command): { child: ChildProcess; status: () => string } {
  const { folders, host, converse } = command;
  const stdin = converse ? "pipe" : "ignore";
  if (!command.isSandboxed) {
    const child = spawn("/bin/sh", ["-c", command.command], {
      cwd: folders.tree,
      env: { ...environmentOf(command), HOME: host.HOME },
      stdio: [stdin, "pipe", "pipe"],
      detached: true,
    });
    return { child, status: () => "" };
  }
  // bubblewrap takes its options, the secrets of the command's environment among them, from a pipe: everybody may read
  // an argument.
  const filter = seccompFilter(process.arch);
  if (!filter) throw new Error(`no filter of system calls is known for ${process.arch}`);
  const entry = [inside.node, `${inside.bin}/${entryFile}`, inside.proxySocket, command.command];
  const child = spawn("bwrap", ["--args", "3", "--", ...entry], {
    stdio: [stdin, "pipe", "pipe", "pipe", "pipe", "pipe"],
    env: { PATH: host.PATH },
  });
  let status = "";
  const options = sandboxOptions(command).map((argument) => `${argument}\0`);
  for (const [descriptor, bytes] of [[3, options.join("")] as const, [5, filter] as const]) {
    const pipe = (child.stdio as readonly unknown[])[descriptor] as NodeJS.WritableStream;
    pipe.on("error", () => {}); // it ended before it had read them, and says why
    pipe.end(bytes);
  }
  (child.stdio[4] as Readable).setEncoding("utf8").on("data", (text: string) => {
    status += text;
  });
  return { child, status: () => status };
}
