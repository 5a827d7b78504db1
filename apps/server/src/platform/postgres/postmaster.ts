import { readFile, readlink, realpath, unlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The next start repairs anything later; a service manager waits no longer. */
const stopTimeoutMs = 5_000;

/** The process that runs a cluster, where there is one. */
export async function findPostmaster(cluster: string): Promise<number | undefined> {
  const pid = await readPid(join(cluster, "postmaster.pid"));
  return pid !== undefined && isAlive(pid) && (await worksIn(pid, cluster)) ? pid : undefined;
}

/** Whether a process is at home in a cluster's folder, as a PostgreSQL is in its own and nobody else is. */
async function worksIn(pid: number, cluster: string): Promise<boolean> {
  if (process.platform !== "linux") return true;
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  if (folder !== undefined) return folder === (await realpath(cluster));
  // Root without all its powers, as in a container, may not look into another user's process.
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return command.includes("/postgres\0-D\0");
}

/** After a crash of the machine a lock file may name a process that is by now something else, and keep PostgreSQL off. */
export async function removeStaleLocks(cluster: string, { host, port }: { host: string; port: number }) {
  for (const path of [join(cluster, "postmaster.pid"), join(host, `.s.PGSQL.${port}.lock`)]) {
    const pid = await readPid(path);
    if (pid !== undefined && isAlive(pid) && !(await worksIn(pid, cluster))) await unlink(path).catch(() => {});
  }
}

async function readPid(path: string): Promise<number | undefined> {
  const pid = Number.parseInt(await readFile(path, "utf8").catch(() => ""), 10);
  return pid > 0 ? pid : undefined;
}

/** PostgreSQL's fast shutdown and, where it does not come to an end, its immediate one: the next start recovers. */
export async function stopPostgres(cluster: string) {
  const pid = await findPostmaster(cluster);
  if (pid === undefined) return;
  process.kill(pid, "SIGINT");
  const deadline = performance.now() + stopTimeoutMs;
  let patient = true;
  while (isAlive(pid) && (await worksIn(pid, cluster))) {
    if (patient && performance.now() > deadline) {
      patient = false;
      process.kill(pid, "SIGQUIT");
    }
    await sleep(10);
  }
}

/** Whether there is such a process. */
export function isAlive(pid: number) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
