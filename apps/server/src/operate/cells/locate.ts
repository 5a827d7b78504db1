import type pg from "pg";
import { Refusal, unavailable } from "../../platform/errors.ts";
import { Gate } from "../../platform/limits/gate.ts";
import type { Log } from "../../platform/observe/log.ts";
import { isOutage, within } from "../../platform/outage.ts";
import type { Credential, Kind } from "./credential.ts";
import { findCredential, keepCredential, readHomes, settleOrganisation } from "./directory.ts";

/** The number of entries in a process's memory: at 200 bytes each, 10 MB. */
const rememberedMax = 50_000;
/** The number of unknown credentials that are remembered, and for how long they are not looked up again. */
const unknownMax = 10_000;
const unknownMs = 5_000;
/** Anybody can invent credentials: limits how many lookups of unknown ones run and wait at a time. */
const lookupsMax = { runningMax: 8, waitingMax: 256 };
/** A cell that takes longer to answer a lookup is treated as down. */
const askMs = 1_500;
/** The time for which a process that does not hear of moves trusts a cell that an organisation has not left it. */
const presenceMs = 1_000;

/** Long-lived kinds, whose organisations the directory records. */
const kept: ReadonlySet<Kind> = new Set(["token", "runner", "key"]);
/** Kinds that are looked up every time: they are rare, and may change owners. */
const fleeting: ReadonlySet<Kind> = new Set(["person", "passkey", "invitation", "passwordLink", "provider"]);
/** Kinds that several cells may have: the oldest organisation wins, so all cells are asked. */
const contested: ReadonlySet<Kind> = new Set(["provider", "person"]);

type Row = { organisation_id: string | null; email?: string };
type Found = { cell: string; organisationId: string | null; email?: string };

/** Finds the cells of credentials and organisations. */
export type Locator = {
  /** The cell of a credential from this process's memory; undefined if it is not there. */
  recall: (credential: Credential) => string | undefined;
  /** The same, from the directory and all cells; undefined if none has it. Throws `unavailable`. */
  find: (credential: Credential) => Promise<Found | undefined>;
  /** Finds the credential in other cells than this one. */
  findElsewhere: (credential: Credential, cell: string) => Promise<Found | undefined>;
  /** Records where an organisation has moved. */
  moved: (organisationId: string, cell: string) => void;
  /** Reads the cells of all remembered organisations again, because this process may have missed a move. */
  refresh: () => Promise<void>;
  /**
   * Sets whether this process hears of moves. If it does not, it asks an organisation's cell whether the organisation
   * has left.
   */
  hears: (does: boolean) => void;
};

/** Finds the cells of requests. `pools` are the current pools of all cells by name; `directory` is home's. */
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
        remember(strangers, key, performance.now() + unknownMs, unknownMax);
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

  /**
   * The cell of an organisation that was found in a cell: only the directory knows, because a moving organisation is in
   * two.
   */
  async function settle({ organisationId, cell }: Found): Promise<string> {
    if (organisationId === null) return cell;
    let settled = homes.get(organisationId);
    if (!settled) {
      let heard: number;
      do {
        heard = movesHeard; // a move announced meanwhile may be newer than this result
        settled = await settleOrganisation(directory, organisationId, cell).catch((error: unknown) => {
          throw isOutage(error) ? unavailable() : error;
        });
      } while (heard !== movesHeard);
      remember(homes, organisationId, settled, rememberedMax);
    }
    if (!hearing) await checkPresence(organisationId, settled);
    return settled;
  }

  /** Throws `unavailable` if an organisation has left its cell and this process was not told. */
  async function checkPresence(organisationId: string, cell: string) {
    if ((present.get(organisationId) ?? 0) > performance.now()) return;
    const pool = pools().get(cell);
    if (!pool) return; // requests are refused there
    const { rowCount } = await pool.query("select from cell_departures where organisation_id = $1 and state = 'left'", [
      organisationId,
    ]);
    if (rowCount !== 0) throw unavailable();
    remember(present, organisationId, performance.now() + presenceMs, rememberedMax);
  }

  /** Asks cells concurrently. Throws `unavailable` if none has the credential and one that might does not respond. */
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

/** Removes the oldest entry if there are too many. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value, most: number) {
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value ?? "");
}
