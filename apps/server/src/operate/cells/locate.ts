import type pg from "pg";
import { Refusal, unavailable } from "../../platform/errors.ts";
import { Gate } from "../../platform/limits/gate.ts";
import type { Log } from "../../platform/observe/log.ts";
import { isOutage, within } from "../../platform/outage.ts";
import type { Credential, Kind } from "./credential.ts";
import { findCredential, keepCredential, readHomes, settleOrganisation } from "./directory.ts";

/** The number of entries in a process's memory: at 200 bytes each, 10 MB. */
const rememberedMax = 50_000;
/** Credentials that nobody knows, and for how long nobody is asked again. */
const strangersMax = 10_000;
const strangeMs = 5_000;
/** Strangers can invent credentials: no more of them than so many make the cells work at a time, and wait for it. */
const lookupsMax = { runningMax: 8, waitingMax: 256 };
/** A cell that answers no sooner is away, as far as looking for somebody goes. */
const askMs = 1_500;
/** The time for which a process that does not hear of moves believes a cell that an organisation has not left it. */
const presenceMs = 1_000;

/** Kinds that live for long: the directory keeps whose they are. */
const kept: ReadonlySet<Kind> = new Set(["token", "runner", "key"]);
/** Kinds that are looked for anew each time: they are rare, and may come to be somebody else's. */
const fleeting: ReadonlySet<Kind> = new Set(["person", "passkey", "invitation", "passwordLink", "provider"]);
/** Kinds of which there may be several: the oldest organisation has it, which only all cells together know. */
const contested: ReadonlySet<Kind> = new Set(["provider", "person"]);

type Row = { organisation_id: string | null; email?: string };
type Found = { cell: string; organisationId: string | null; email?: string };

/** Where credentials and organisations are at home. */
export type Locator = {
  /** The cell of a credential, as this process remembers it; undefined where it does not. */
  recall: (credential: Credential) => string | undefined;
  /** The same, asked of the directory, and of all cells; undefined where nobody knows it. Throws `unavailable`. */
  find: (credential: Credential) => Promise<Found | undefined>;
  /** Finds the credential in other cells than this one. */
  findElsewhere: (credential: Credential, cell: string) => Promise<Found | undefined>;
  /** Takes down where an organisation has moved. */
  moved: (organisationId: string, cell: string) => void;
  /** Reads again where all organisations that are remembered live: this process may have missed a move. */
  refresh: () => Promise<void>;
  /** Says whether this process hears of moves. Where it does not, an organisation's cell is asked whether it has left. */
  hears: (does: boolean) => void;
};

/** Looks for the cells of requests. `pools` are those of all cells by name, as they are now; `directory` is home's. */
export function openLocator(
  directory: pg.Pool,
  pools: () => ReadonlyMap<string, pg.Pool | undefined>,
  log: Log,
): Locator {
  const owners = new Map<string, { organisationId: string | null; cell: string }>();
  const homes = new Map<string, string>();
  const strangers = new Map<string, number>();
  const present = new Map<string, number>();
  const gate = new Gate(lookupsMax);
  let hearing = false;
  let movesHeard = 0;

  function recall({ sha256 }: Credential): string | undefined {
    const owner = owners.get(sha256.toString("base64"));
    if (!owner) return undefined;
    if (owner.organisationId === null) return owner.cell;
    if (!hearing && (present.get(owner.organisationId) ?? 0) < performance.now()) return undefined;
    return homes.get(owner.organisationId);
  }

  async function find(credential: Credential): Promise<Found | undefined> {
    const key = credential.sha256.toString("base64");
    const remembered = owners.get(key);
    if (remembered) return { ...remembered, cell: await settle(remembered) };
    if ((strangers.get(key) ?? 0) > performance.now()) return undefined;
    return gate.run(async () => {
      const noted = kept.has(credential.kind)
        ? await findCredential(directory, credential.sha256).catch(unlessAway)
        : undefined;
      const found = noted ?? (await ask(credential, pools()));
      if (!found) {
        remember(strangers, key, performance.now() + strangeMs, strangersMax);
        return undefined;
      }
      const cell = await settle(found);
      if (!fleeting.has(credential.kind)) {
        const { organisationId } = found;
        remember(owners, key, { organisationId, cell }, rememberedMax);
        if (!noted && organisationId !== null && kept.has(credential.kind)) {
          await keepCredential(directory, credential.sha256, organisationId).catch(unlessAway);
        }
      }
      return { ...found, cell };
    });
  }

  /** Where what was found in a cell lives: only the directory knows, as an organisation that moves is in two. */
  async function settle({ organisationId, cell }: Found): Promise<string> {
    if (organisationId === null) return cell;
    let settled = homes.get(organisationId);
    if (!settled) {
      let heard: number;
      do {
        heard = movesHeard; // what is told meanwhile may be newer than the answer
        settled = await settleOrganisation(directory, organisationId, cell).catch((error: unknown) => {
          throw isOutage(error) ? unavailable() : error;
        });
      } while (heard !== movesHeard);
      remember(homes, organisationId, settled, rememberedMax);
    }
    if (!hearing) await checkPresence(organisationId, settled);
    return settled;
  }

  /** Throws `unavailable` where an organisation has left its cell and this process was not told. */
  async function checkPresence(organisationId: string, cell: string) {
    if ((present.get(organisationId) ?? 0) > performance.now()) return;
    const pool = pools().get(cell);
    if (!pool) return; // nobody is let in there
    const { rowCount } = await pool.query("select from cell_departures where organisation_id = $1 and state = 'left'", [
      organisationId,
    ]);
    if (rowCount !== 0) throw unavailable();
    remember(present, organisationId, performance.now() + presenceMs, rememberedMax);
  }

  /** Asks cells at the same time. Throws `unavailable` where none knows it and one that may does not answer. */
  async function ask(
    { kind, query, value }: Credential,
    asked: ReadonlyMap<string, pg.Pool | undefined>,
  ): Promise<Found | undefined> {
    const all: Found[] = [];
    const { promise: first, resolve: isFirst } = Promise.withResolvers<void>();
    let silent = 0;
    const answers = [...asked].map(async ([cell, pool]) => {
      try {
        if (!pool) throw unavailable();
        const { rows } = await within(
          askMs,
          pool.query<Row>({ name: `find_cell_of_${kind}`, text: query, values: [value] }),
        );
        for (const { organisation_id: organisationId, ...rest } of rows) all.push({ cell, organisationId, ...rest });
        if (all.length > 0 && !contested.has(kind)) isFirst();
      } catch (error) {
        silent += 1;
        unlessAway(error);
      }
    });
    await Promise.race([first, Promise.all(answers)]);
    const [found] = all.sort((a, b) => ((a.organisationId ?? "z") < (b.organisationId ?? "z") ? -1 : 1));
    if (silent > 0 && (!found || kind === "provider")) throw unavailable();
    return found;
  }

  const unlessAway = (error: unknown): undefined => {
    if (!isOutage(error) && !(error instanceof Refusal)) throw error;
    log.debug({ err: error }, "a cell or the directory does not answer");
    return undefined;
  };

  return {
    recall,
    find,
    findElsewhere: (credential, cell) =>
      gate.run(() => ask(credential, new Map([...pools()].filter(([name]) => name !== cell)))),
    moved: (organisationId, cell) => {
      movesHeard += 1;
      if (homes.has(organisationId)) homes.set(organisationId, cell);
    },
    refresh: async () => {
      let heard: number;
      let found: ReadonlyMap<string, string>;
      do {
        heard = movesHeard;
        found = await readHomes(directory, [...homes.keys()]);
      } while (heard !== movesHeard);
      for (const [organisationId, cell] of found) homes.set(organisationId, cell);
    },
    hears: (does) => {
      hearing = does;
    },
  };
}

/** Forgets the oldest where there are too many. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value, most: number) {
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value ?? "");
}
