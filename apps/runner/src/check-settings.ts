import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, mkdir, mkdtemp, realpath, stat, writeFile } from "node:fs/promises";
import { isAbsolute, join, normalize, relative } from "node:path";
import { CallError, createCaller, reasonOf } from "@lodge/contract/call";
import { listRunnerRepositories } from "@lodge/contract/calls.generated";
import { checkRepositories } from "./check-repositories.ts";
import { removeFolder } from "./remove-folder.ts";
import { runCommand } from "./run-command.ts";
import { makeRunFolders } from "./run-folders.ts";
import { commandOf, type RunnerSettings } from "./runner-settings.ts";
import type { HostEnvironment } from "./sandbox.ts";
import { seccompFilter } from "./seccomp-filter.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const requestTimeoutMs = 10_000;
const probeTimeoutMs = 60_000;

/**
 * Returns a sentence for each problem with a runner's settings on this machine. A server or forge that cannot be
 * reached is only a problem with `needsServer`: a runner that starts waits for it.
 */
export async function checkSettings(
  settings: RunnerSettings,
  env: Environment,
  host: HostEnvironment,
  needsServer: boolean,
): Promise<string[]> {
  const unfit = await Promise.all(
    settings.readable.map(async (path) => [path, await refusalOf(path, settings)] as const),
  );
  const readable = unfit.flatMap(([path, why]) => (why === undefined ? [path] : []));
  return [
    ...namesUnset(settings, env),
    ...forgesUnmatched(settings),
    ...unfit.flatMap(([, why]) => why ?? []),
    ...(await tryCommand({ ...settings, readable }, host)),
    ...(await askServer(settings, env, needsServer)),
  ];
}

function namesUnset({ passedNames, gitTokens }: RunnerSettings, env: Environment): string[] {
  const released = new Set(gitTokens.map(({ name }) => name));
  return [
    ...passedNames
      .filter((name) => released.has(name))
      .map(
        (name) =>
          `${name} is given to both --git-token and --pass-env. Remove one: the command must not get a repository token.`,
      ),
    ...passedNames.filter((name) => !env[name]).map((name) => `--pass-env names ${name}, which is not set.`),
    ...[...released].filter((name) => !env[name]).map((name) => `--git-token names ${name}, which is not set.`),
  ];
}

/** Every `--forge` needs a token for its host. */
const forgesUnmatched = ({ forges, gitTokens }: RunnerSettings): string[] =>
  [...forges.keys()]
    .filter((host) => !gitTokens.some((token) => token.host === host))
    .map((host) => `--forge names ${host}, which has no token. Add --git-token VARIABLE=${host}.`);

/** The sandbox's own mounts, which a readable directory would hide. */
const ownMounts = ["/", "/tmp", "/home", "/home/agent", "/dev", "/dev/shm"];
const ownTrees = ["/work", "/lodge", "/proc"];

/** Why a directory cannot or must not be readable in the sandbox; undefined if it can. */
async function refusalOf(path: string, { isSandboxed, workDir, tokenFile }: RunnerSettings) {
  if (!isAbsolute(path)) return `--readable ${path} is not an absolute path.`;
  const found = await stat(path).catch((error: Error) => error);
  if (found instanceof Error) return `--readable ${path} cannot be read: ${found.message}.`;
  const isAllowed = await access(path, constants.R_OK | (found.isDirectory() ? constants.X_OK : 0)).then(
    () => true,
    () => false,
  );
  if (!isAllowed) return `--readable ${path} cannot be read by this user.`;
  if (!isSandboxed) return undefined;
  const plain = normalize(`${path}/`).replace(/(?<=.)\/$/, "");
  if (ownMounts.includes(plain) || ownTrees.some((tree) => isWithin(plain, tree))) {
    return `--readable ${path} would hide a directory of the sandbox itself. Choose a directory below it.`;
  }
  const real = await realpath(path);
  for (const secret of [tokenFile, workDir]) {
    const kept = secret && (await realpath(secret).catch(() => undefined));
    if (kept && isWithin(kept, real))
      return `--readable ${path} would let the command read the runner's ${secret}. Choose another directory.`;
  }
  return undefined;
}

const isWithin = (path: string, folder: string) => !/^\.\.(\/|$)/.test(relative(folder, path));

/** Looks for the command and the readable directories in the same environment as a run. */
async function tryCommand(settings: RunnerSettings, host: HostEnvironment): Promise<string[]> {
  const { isSandboxed, readable, limits, workDir } = settings;
  if (isSandboxed && !seccompFilter(process.arch)) return [noSandbox(`system calls of ${process.arch} are not known`)];
  const program = programOf(commandOf(settings));
  let said = "";
  let folder: string | undefined;
  try {
    await mkdir(workDir, { recursive: true, mode: 0o700 });
    folder = await mkdtemp(join(workDir, "check-"));
    const tree = join(folder, "tree");
    await mkdir(tree);
    const folders = await makeRunFolders(folder, tree, "", isSandboxed);
    await writeFile(folders.proxySocket, "");
    await writeFile(folders.questionSocket, "");
    const quoted = readable.map((path) => `'${path.replaceAll("'", "'\\''")}'`);
    const end = await runCommand({
      command: [
        ...(program === undefined ? [] : [`command -v ${program} >/dev/null || echo program`]),
        ...quoted.map((path, index) => `[ -r ${path} ] || echo readable ${index}`),
        "exit 0",
      ].join("\n"),
      folders,
      env: { LODGE_RUN_ID: randomUUID() },
      readable,
      limits: { ...limits, timeoutMs: probeTimeoutMs },
      isSandboxed,
      host,
      onOutput: (piece) => {
        said += piece.toString();
      },
      converse: undefined,
      waitedMs: () => 0,
      signal: new AbortController().signal,
    });
    if (end.kind !== "exited") return [noSandbox(end.kind === "ended" ? end.why.replaceAll("_", " ") : end.message)];
    if (end.code !== 0) return [noSandbox(said.trim())];
  } catch (error) {
    return [`--work-dir ${workDir} cannot be written to: ${(error as Error).message}.`];
  } finally {
    if (folder !== undefined) await removeFolder(folder, host);
  }
  return [
    ...(/^program$/m.test(said) ? [notFound(program, isSandboxed)] : []),
    ...[...said.matchAll(/^readable (\d+)$/gm)].map(
      ([, index]) => `--readable ${readable[Number(index)]} cannot be read inside the sandbox.`,
    ),
  ];
}

const noSandbox = (why: string) =>
  `Cannot create a sandbox: ${why.trim()}\nInstall bubblewrap, and allow user namespaces. With --no-sandbox the command runs as this user, with access to everything that this user can read or connect to.`;

const notFound = (program: string | undefined, isSandboxed: boolean) =>
  isSandboxed
    ? `The command ${program} is not found inside the sandbox: add its directory with --readable.`
    : `The command ${program} is not found.`;

/** The program at the start of a command line; undefined if it is not obvious or a path in the clone. */
function programOf(command: string): string | undefined {
  const begins = /^\s*(?:[A-Za-z_]\w*=[\w./:,@%+-]*\s+)*(?:exec\s+)?([\w./+-]+)(?=[\s;&|]|$)/;
  const program = begins.exec(command)?.[1];
  return program?.startsWith("-") || (program?.includes("/") && !isAbsolute(program)) ? undefined : program;
}

/** Fetches the organisation's repositories, which also verifies the token, and checks each of them. */
async function askServer(settings: RunnerSettings, env: Environment, needsServer: boolean): Promise<string[]> {
  const { url, token } = settings;
  const call = createCaller({
    baseUrl: url,
    headers: { authorization: `Bearer ${token}` },
    fetch: (address, init) =>
      fetch(address, { ...init, signal: AbortSignal.timeout(requestTimeoutMs) }).catch((error: Error) => {
        throw new CallError("unreachable", `The service cannot be reached at ${url}: ${reasonOf(error)}.`);
      }),
  });
  try {
    const { repositories } = await call(listRunnerRepositories);
    return await checkRepositories(settings, env, repositories, needsServer);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return error.status === 401 || needsServer ? [error.message] : [];
  }
}
