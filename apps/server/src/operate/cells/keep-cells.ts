import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { isSweepHeld } from "../../both/retention/hold-sweep.ts";
import { findKnownKeys } from "../../both/retention/sweep-store.ts";
import { openListeningConnection } from "../../platform/database/connection.ts";
import { type DatabaseAddress, openPool } from "../../platform/database/database.ts";
import type { Deps, OtherCells } from "../../platform/deps.ts";
import { describe, unavailable } from "../../platform/errors.ts";
import { type CellAddress, directoryChannel, home, listCells } from "./directory.ts";
import { type Locator, openLocator } from "./locate.ts";
import { routeRequests, type Served } from "./route-requests.ts";

/** How soon a server learns of the first cell besides home. Moves wait longer (`firstCellMs`). */
const lookEveryMs = 15_000;
const retryMs = 1_000;

/** The messages on the directory's channel. */
export type DirectoryNews = { moved: { organisationIds: string[]; cell: string } } | { cells: true };

/**
 * A cell that this process serves. `close` lets requests in progress finish, until a second signal; then the cell is
 * disposed of.
 */
type RunningCell = Served & AsyncDisposable & { close: (insisted?: AbortSignal) => Promise<void> };

/** Migrates a cell's database and starts what serves it. Throws if the database is down. */
export type StartCell = (address: CellAddress) => Promise<RunningCell>;

/** The cells of the directory, as served by this process. */
export type Cells = AsyncDisposable & {
  /** Handles all requests to this process. */
  answer: RequestListener;
  /** The other cells, for the modules of home. */
  others: OtherCells;
  /** Stops background work, and lets requests in progress finish, until a second signal. */
  close: (insisted?: AbortSignal) => Promise<void>;
};

/**
 * Serves every cell of the directory besides home, including those added while it runs, each with its own connections,
 * workers and batches, so that one that is down does not affect the others. Without other cells, requests go to home as
 * if there were no directory.
 */
export async function keepCells(
  homeDeps: Deps,
  address: DatabaseAddress,
  homeAnswer: RequestListener,
  startCell: StartCell,
): Promise<Cells> {
  const { log, sealing } = homeDeps;
  await using started = new AsyncDisposableStack();
  const directory = started.use(openPool(address, log, 2, { name: "lodged directory", statementTimeoutMs: 2_000 }));
  const running = new Map<string, RunningCell | undefined>();
  const stopping = new AbortController();
  const tasks: Promise<void>[] = [];
  let answer = homeAnswer;

  const ofOthers = () => new Map([...running].map(([name, cell]) => [name, cell?.deps.pool]));
  const pools = () => new Map([[home, homeDeps.pool], ...ofOthers()]);

  /** The databases of all cells other than home. Throws if one of them is down. */
  const databases = async () =>
    (await listCells(homeDeps.pool, sealing)).map(({ name }) => {
      const cell = running.get(name);
      if (!cell) throw unavailable();
      return cell.deps.db;
    });

  /** Starts a cell, and retries until it succeeds. Returns after the first try. */
  async function open(cell: CellAddress) {
    running.set(cell.name, undefined);
    const attempt = async (): Promise<boolean> => {
      try {
        const opened = await startCell(cell);
        running.set(cell.name, opened);
        log.info({ cell: cell.name }, "serving a cell");
        return true;
      } catch (error) {
        log.warn({ cell: cell.name, reason: describe(error) }, "a cell cannot be served yet");
        return false;
      }
    };
    if (await attempt()) return;
    const again = async () => {
      while (!stopping.signal.aborted) {
        await pause(retryMs);
        if (stopping.signal.aborted || (await attempt())) return;
      }
    };
    tasks.push(again());
  }

  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => {});

  let locator: Locator | undefined;
  /** Starts the cells that the directory has and this process does not serve. */
  async function look() {
    const found = await listCells(homeDeps.pool, sealing);
    if (found.length > 0 && !locator) {
      locator = openLocator(directory, pools, log);
      answer = routeRequests(homeDeps, homeAnswer, locator, (name) => running.get(name));
      const heard = Promise.withResolvers<void>();
      tasks.push(hear(locator, heard.resolve));
      await heard.promise;
    }
    for (const cell of found) if (!running.has(cell.name)) await open(cell);
  }

  /** Listens for moves and new cells for as long as this process runs. */
  async function hear(of: Locator, heard: () => void) {
    while (!stopping.signal.aborted) {
      try {
        const connection = await openListeningConnection(directory.options, "lodged directory", () => {});
        const lost = new Promise((resolve) => connection.once("end", resolve));
        const end = () => void connection.end();
        stopping.signal.addEventListener("abort", end);
        try {
          connection.on("notification", ({ payload = "" }) => {
            const news = JSON.parse(payload) as DirectoryNews;
            if ("cells" in news) lookAgain();
            else for (const organisationId of news.moved.organisationIds) of.moved(organisationId, news.moved.cell);
          });
          await connection.query(`listen ${directoryChannel}`);
          await of.refresh();
          of.hears(true);
          heard();
          if (stopping.signal.aborted) end();
          await lost;
        } finally {
          stopping.signal.removeEventListener("abort", end);
          end();
        }
      } catch (error) {
        log.warn({ err: error }, "cannot listen for moves between cells");
      }
      of.hears(false);
      heard();
      if (!stopping.signal.aborted) await pause(retryMs);
    }
  }

  let looking = look();
  const lookAgain = () => {
    looking = looking
      .then(look)
      .catch((error: unknown) => log.warn({ err: error }, "the directory of cells does not answer"));
  };
  await looking;
  const timer = setInterval(lookAgain, lookEveryMs);
  started.defer(async () => {
    await Promise.all([...running.values()].map((cell) => cell?.[Symbol.asyncDispose]()));
  });
  const all = started.move();
  return {
    answer: (request: IncomingMessage, response: ServerResponse) => answer(request, response),
    others: {
      knownKeys: async (keys) => {
        const known = [];
        for (const db of await databases()) known.push(...(await findKnownKeys(db, keys)));
        return known;
      },
      isSweepHeld: async () => {
        for (const db of await databases()) if (await isSweepHeld(db)) return true;
        return false;
      },
      pools: ofOthers,
    },
    close: async (insisted) => {
      stopping.abort();
      clearInterval(timer);
      await looking;
      await Promise.all(tasks);
      await Promise.all([...running.values()].map((cell) => cell?.close(insisted)));
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
