import { createHash } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { CallError } from "@lodge/contract/call";
import { runLogEntriesMax } from "@lodge/contract/limits";
import type { Finish } from "@lodge/contract/runners";
import type { Held, LodgeServer } from "./lodge-server.ts";
import type { Unsent } from "./run-log.ts";

/** The result of a run, with its unsent log entries. */
type KeptResult = { run: Held; result: Omit<Finish, "fence">; log: Unsent };

/** Results of runs, on disk until the server has them, so that they survive the end of the runner. */
export type KeptResults = {
  /** Stores a result durably. */
  keep: (kept: KeptResult) => Promise<void>;
  /** Deletes a result that the server has, or no longer accepts from this runner. */
  drop: (run: Held) => Promise<void>;
  /** Sends the results that an earlier process of this runner stored. */
  deliver: (server: LodgeServer, signal: AbortSignal) => Promise<void>;
};

/** Opens the store of results in `workDir`, with a folder for each runner token. */
export function openKeptResults(workDir: string, token: string): KeptResults {
  const folder = join(workDir, `kept-${createHash("sha256").update(token).digest("hex").slice(0, 16)}`);
  const pathOf = ({ id, fence }: Held) => join(folder, `${id}-${fence}.json`);

  const drop = async (run: Held) => {
    await rm(pathOf(run), { force: true });
    await rmdir(folder).catch(() => {}); // other results are in it
  };

  return {
    keep: async (kept) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = pathOf(kept.run);
      const file = await open(`${path}.new`, "w", 0o600);
      try {
        await file.writeFile(JSON.stringify(kept));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(`${path}.new`, path);
      const directory = await open(folder);
      await directory.sync().finally(() => directory.close());
    },
    drop,
    deliver: async (server, signal) => {
      for (const name of await readdir(folder).catch(() => [])) {
        if (!name.endsWith(".json")) continue;
        const { run, result, log } = JSON.parse(await readFile(join(folder, name), "utf8")) as KeptResult;
        await appendAll(server, run, log, signal).catch(orRefused); // a full log must not hold back the result
        await server.finish(run, result, signal).catch(orRefused);
        await drop(run);
      }
    },
  };
}

async function appendAll(server: LodgeServer, run: Held, { offset, entries }: Unsent, signal: AbortSignal) {
  for (let from = 0; from < entries.length; from += runLogEntriesMax) {
    await server.appendLog(run, offset + from, entries.slice(from, from + runLogEntriesMax), signal);
  }
}

/** Ignores refusals of the server: the run may be finished, or belong to another runner. */
function orRefused(error: unknown) {
  if (!(error instanceof CallError) || error.status === 401) throw error;
}
