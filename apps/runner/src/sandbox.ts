import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { seccompFilter } from "./seccomp-filter.ts";

/** The paths of a run outside the sandbox. */
export type RunFolders = {
  /** The clone that the agent works in. */
  tree: string;
  ticketFile: string;
  proxySocket: string;
  /** The socket of `lodge-ask`. */
  questionSocket: string;
  /** The runner's programs for the command. */
  bin: string;
  /** Replacements for files of /etc. */
  etc: string;
};

/** Limits of a run. Limits that the sandbox itself does not enforce are checked twice a second. */
export type RunLimits = { timeoutMs: number; memoryBytesMax: number; processesMax: number };

/** The environment variables of the runner that its programs use. */
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
  /** The variables of the command, in addition to the paths of its home and ticket. */
  env: Record<string, string>;
  /** Directories that it may read in addition to /usr. */
  readable: readonly string[];
  limits: RunLimits;
  isSandboxed: boolean;
  /** The runner's own environment, to find programs and, without a sandbox, the agent's settings. */
  host: HostEnvironment;
  onOutput: (piece: Buffer, isError: boolean) => void;
  /** Writes to the command's stdin until it calls `over`. If undefined, stdin is empty. */
  converse: ((send: (line: string) => void, over: () => void) => void) | undefined;
  /** The milliseconds that the command has waited for people, which do not count towards its time limit. */
  waitedMs: () => number;
  signal: AbortSignal;
};

/** The runner's programs: the script `lodge-ask "Which one?"`, its program, and the one that starts the command. */
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

/** The path of the clone for the command. */
export const treeOf = (folders: RunFolders, isSandboxed: boolean): string => (isSandboxed ? inside.tree : folders.tree);

/** The `lodge-ask` script. */
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

/** The environment of a command, inside or without a sandbox. */
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

/** The options of bubblewrap: separate namespaces, a writable clone, and little else to read. */
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
    // Mounts in memory have a size limit, and nothing else is writable.
    ...["--size", "268435456", "--tmpfs", "/dev/shm"],
    // Comes last, since the other mounts would hide directories below them.
    ...readable.flatMap((path) => ["--ro-bind", path, path]),
    ...["--remount-ro", "/dev", "--remount-ro", "/"],
    ...["--chdir", inside.tree, "--clearenv"],
    ...Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
}

/**
 * Starts a command in a sandbox or without one. `status` returns bubblewrap's status output: the pid of the first
 * process, and an exit code if the command ran.
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
  // bubblewrap reads its options, which include secrets of the command's environment, from a pipe: everybody can read
  // an argument.
  const filter = seccompFilter(process.arch);
  if (!filter) throw new Error(`there is no system call filter for ${process.arch}`);
  const entry = [inside.node, `${inside.bin}/${entryFile}`, inside.proxySocket, command.command];
  const child = spawn("bwrap", ["--args", "3", "--", ...entry], {
    stdio: [stdin, "pipe", "pipe", "pipe", "pipe", "pipe"],
    env: { PATH: host.PATH },
  });
  let status = "";
  const options = sandboxOptions(command).map((argument) => `${argument}\0`);
  for (const [descriptor, bytes] of [[3, options.join("")] as const, [5, filter] as const]) {
    const pipe = (child.stdio as readonly unknown[])[descriptor] as NodeJS.WritableStream;
    pipe.on("error", () => {}); // bubblewrap exited early; its output says why
    pipe.end(bytes);
  }
  (child.stdio[4] as Readable).setEncoding("utf8").on("data", (text: string) => {
    status += text;
  });
  return { child, status: () => status };
}
