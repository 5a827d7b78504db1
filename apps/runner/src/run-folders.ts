import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { askFile, askName, askScript, entryFile, type RunFolders } from "./sandbox.ts";
import { askProgram, entryProgram } from "./sandbox-programs.ts";

/** Creates the files that a command needs besides its clone, in the run's own folder. Does not open the sockets. */
export async function makeRunFolders(
  folder: string,
  tree: string,
  ticket: string,
  isSandboxed: boolean,
): Promise<RunFolders> {
  const folders: RunFolders = {
    tree,
    ticketFile: join(folder, "ticket.md"),
    proxySocket: join(folder, "proxy.sock"),
    questionSocket: join(folder, "ask.sock"),
    bin: join(folder, "bin"),
    etc: join(folder, "etc"),
  };
  await mkdir(folders.etc);
  await mkdir(folders.bin);
  await writeFile(join(folders.bin, askName), askScript(folders, isSandboxed), { mode: 0o755 });
  await writeFile(join(folders.bin, askFile), askProgram);
  await writeFile(join(folders.bin, entryFile), entryProgram);
  await writeFile(join(folders.etc, "passwd"), "agent:x:1000:1000::/home/agent:/bin/sh\n");
  await writeFile(join(folders.etc, "group"), "agent:x:1000:\n");
  await writeFile(join(folders.etc, "hosts"), "127.0.0.1 localhost\n");
  await writeFile(folders.ticketFile, ticket);
  return folders;
}
