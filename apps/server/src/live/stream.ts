import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Change, TicketEvent } from "@lodge/contract/dashboard/change";
import type { LiveEvent } from "@lodge/contract/dashboard/live-event";
import type { Actor } from "../access/find-actor.ts";
import type { Listener } from "../platform/database/listen.ts";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { findSessionsWithin, readStates, type States } from "./read-states.ts";

const streamsOfSessionMax = 8;
const unreadBytesMax = 262_144;
const aliveMs = 20_000;
/** A page reconnects at once; a client that never reads is gone for good. */
const ageMaxMs = 3_600_000;
const reconnectMs = 2_000;
/** What waits to be told to an organisation. With more it is quicker to fetch everything. */
const waitingMax = 1_000;
/** What one that reconnects is told of what it has missed. */
const missedMax = 200;
const outageMs = 1_000;

/** The streams that this process serves. */
export type Streams = {
  /** Opens one for an actor, beginning with what happened after a position, if one is given. Throws `too_many_streams`. */
  open: (actor: Actor, after: string | undefined) => Promise<Readable>;
  close: () => void;
};

type Stream = { sessionId: string; userId: string; write: (bytes: string | Buffer) => void; end: () => void };
type Message = { what: Change | { kind: "resync" } | { kind: "alive" }; position: string | undefined };
/**
 * What is to be told, where in the stream that is, and to whom. A stream that opens while something waits to be told is
 * none of its audience: its position would be beyond what it has yet to make up for.
 */
type Item = Message & { audience: readonly Stream[] };
/** `all` is who is in `streams`, for as long as these stay the same. */
type Room = { streams: Set<Stream>; all: readonly Stream[] | undefined; waiting: Item[]; telling: boolean };

/**
 * Serves what is heard as server-sent events, to each stream what happens in its organisation. What is told carries the
 * cards themselves, so it is read when it is told, once for all streams of the organisation, together with which of their
 * sessions may still see it: the others' streams end before.
 */
export function serveStreams(deps: Deps): Streams {
  const { listening, log } = deps;
  const rooms = new Map<string, Room>();
  const countOf = new Map<string, number>();
  const closing = new AbortController();

  const listener: Listener = {
    onGap: () => {
      for (const [organisationId, room] of rooms) missOut(organisationId, room);
    },
    onNotification: (heard) => {
      if ("endedSessionId" in heard) {
        for (const { streams } of rooms.values())
          for (const stream of streams) if (stream.sessionId === heard.endedSessionId) stream.end();
      } else if ("change" in heard) {
        const room = rooms.get(heard.organisationId);
        if (room) add(heard.organisationId, room, { what: heard.change, position: heard.id, audience: allOf(room) });
      }
    },
  };
  const alive = setInterval(() => {
    for (const [organisationId, room] of rooms) add(organisationId, room, now("alive", allOf(room)));
  }, aliveMs).unref();

  const now = (kind: "alive" | "resync", audience: readonly Stream[]): Item => ({
    what: { kind },
    position: listening.position(),
    audience,
  });

  function add(organisationId: string, room: Room, ...items: Item[]) {
    room.waiting.push(...items);
    if (room.waiting.length > waitingMax) return missOut(organisationId, room);
    if (!room.telling) void tell(organisationId, room);
  }

  function missOut(organisationId: string, room: Room) {
    room.waiting = [];
    add(organisationId, room, now("resync", allOf(room)));
  }

  /** Tells what waits, one batch after the other: what is told later was read later. */
  async function tell(organisationId: string, room: Room) {
    room.telling = true;
    while (room.waiting.length > 0 && room.streams.size > 0) {
      const items = room.waiting;
      room.waiting = [];
      try {
        await tellBatch(organisationId, items);
      } catch (error) {
        log.warn({ err: error }, "could not tell dashboards what changed");
        await sleep(outageMs, undefined, { signal: closing.signal }).catch(() => {});
        if (closing.signal.aborted) break;
        missOut(organisationId, room);
      }
    }
    room.telling = false;
  }

  async function tellBatch(organisationId: string, items: Item[]) {
    const changes = items.flatMap(({ what }) => (isOfTicket(what) ? [what] : []));
    const states = await readStates(
      deps,
      organisationId,
      [...new Set(changes.map(({ ticketId }) => ticketId))],
      [...new Set(changes.flatMap(columnsOf))],
    );
    const textsFor = new Map<readonly Stream[], { owner: string | undefined; text: string }[]>();
    for (const item of items) {
      const texts = textsFor.get(item.audience) ?? [];
      textsFor.set(item.audience, texts);
      texts.push({ owner: ownerOf(item.what), text: render(item, states) });
    }
    const sessionIds = new Set([...textsFor.keys()].flatMap((audience) => audience.map(({ sessionId }) => sessionId)));
    const allowed = await findSessionsWithin(deps, organisationId, [...sessionIds]);
    for (const [audience, texts] of textsFor) {
      const textFor = (userId?: string) =>
        Buffer.from(
          texts.flatMap(({ owner, text }) => (owner === undefined || owner === userId ? [text] : [])).join(""),
        );
      const common = textFor();
      const owners = new Set(texts.map(({ owner }) => owner));
      for (const stream of audience) {
        if (!allowed.has(stream.sessionId)) stream.end();
        else stream.write(owners.has(stream.userId) ? textFor(stream.userId) : common);
      }
    }
  }

  async function open({ sessionId, userId, organisationId }: Actor, after: string | undefined) {
    const count = countOf.get(sessionId) ?? 0;
    if (count >= streamsOfSessionMax) throw new Refusal("too_many_streams");
    countOf.set(sessionId, count + 1);

    const readable = new Readable({ read: () => {} });
    let open = true;
    const stop = () => {
      if (!open) return;
      open = false;
      clearTimeout(ageLimit);
      if (room?.streams.delete(stream)) room.all = undefined;
      if (room?.streams.size === 0) rooms.delete(organisationId);
      const left = (countOf.get(sessionId) ?? 1) - 1;
      if (left > 0) countOf.set(sessionId, left);
      else countOf.delete(sessionId);
    };
    const stream: Stream = {
      sessionId,
      userId,
      write: (bytes) => {
        if (!open || bytes.length === 0) return;
        readable.push(bytes);
        if (readable.readableLength > unreadBytesMax) readable.destroy(); // it reconnects, and fetches everything
      },
      end: () => {
        if (open && !readable.destroyed) readable.push(null);
        stop();
      },
    };
    const ageLimit = setTimeout(stream.end, ageMaxMs);
    let room: Room | undefined;
    readable.on("close", stop);
    await ready().catch((error: unknown) => {
      stop();
      throw error;
    });
    if (closing.signal.aborted) stream.end();
    if (!open) return readable;
    room = rooms.get(organisationId) ?? { streams: new Set(), all: undefined, waiting: [], telling: false };
    rooms.set(organisationId, room);
    room.streams.add(stream);
    room.all = undefined;
    // Where something is to be made up for, a browser that is cut off before has still got its old position.
    const position = after === undefined ? listening.position() : undefined;
    stream.write(`retry: ${reconnectMs}\n${position === undefined ? "" : `id: ${position}\n`}\n`);
    if (after !== undefined) add(organisationId, room, ...missedSince(organisationId, after, [stream]));
    return readable;
  }

  let listens: Promise<void> | undefined;
  function ready(): Promise<void> {
    listens ??= listening.add(listener).catch((error: unknown) => {
      listening.remove(listener);
      listens = undefined;
      throw error;
    });
    return listens;
  }

  function missedSince(organisationId: string, after: string, audience: readonly Stream[]): Item[] {
    const missed = listening
      .heardSince(after)
      ?.flatMap((heard) =>
        "change" in heard && heard.organisationId === organisationId
          ? [{ what: heard.change, position: heard.id, audience }]
          : [],
      );
    return missed && missed.length <= missedMax ? missed : [now("resync", audience)];
  }

  return {
    open,
    close: () => {
      closing.abort();
      clearInterval(alive);
      listening.remove(listener);
      for (const { streams } of rooms.values()) for (const stream of streams) stream.end();
    },
  };
}

/** What a person is to be told, and what he keeps for himself, is nobody else's business. */
const ownerOf = (what: Message["what"]) =>
  what.kind === "notices.changed" || what.kind === "views.changed" ? what.userId : undefined;

const allOf = (room: Room): readonly Stream[] => {
  room.all ??= [...room.streams];
  return room.all;
};

const isOfTicket = (what: Message["what"]): what is TicketEvent => what.kind.startsWith("ticket.");

const columnsOf = (change: TicketEvent): string[] =>
  "fromColumnId" in change ? [change.columnId, change.fromColumnId] : [change.columnId];

function render({ what, position }: Message, { cards, cardCounts }: States): string {
  let event: LiveEvent;
  if (isOfTicket(what)) {
    const card = cards.get(what.ticketId) ?? null;
    const columnIds = new Set([...columnsOf(what), ...(card ? [card.columnId] : [])]);
    const columns = [...columnIds].flatMap((id) => {
      const cardCount = cardCounts.get(id);
      return cardCount === undefined ? [] : [{ id, cardCount }];
    });
    event = { ...what, card, columns };
  } else event = what;
  return `${position === undefined ? "" : `id: ${position}\n`}event: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;
}
