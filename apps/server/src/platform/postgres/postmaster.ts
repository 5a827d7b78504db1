import { readFile, readlink, realpath, unlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** After this, PostgreSQL is killed: service managers do not wait longer, and the next start recovers. */
const stopTimeoutMs = 5_000;

/** The pid of the process that runs a cluster, if there is one. */
export async function findPostmaster(cluster: string): Promise<number | undefined> {
  const pid = await readPid(join(cluster, "postmaster.pid"));
  return pid !== undefined && isAlive(pid) && (await worksIn(pid, cluster)) ? pid : undefined;
}

/** Whether a process has the cluster as its working directory, which identifies its PostgreSQL. */
async function worksIn(pid: number, cluster: string): Promise<boolean> {
  if (process.platform !== "linux") return true;
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  if (folder !== undefined) return folder === (await realpath(cluster));
  // Root without all capabilities, as in a container, cannot inspect another user's process.
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return command.includes("/postgres\0-D\0");
}

/** Removes lock files that block PostgreSQL after a crash of the machine: their pid may now be another program. */
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

/** Does a fast shutdown, and then an immediate one if that does not end: the next start recovers. */
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

/** Whether a process exists. */
export function isAlive(pid: number) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
