import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Change, TicketEvent } from "@lodge/contract/dashboard/change";
import type { LiveEvent } from "@lodge/contract/dashboard/live-event";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Listener } from "../../platform/database/listen.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { findSessionsWithin, readStates, type States } from "./read-states.ts";

const streamsOfSessionMax = 8;
const unreadBytesMax = 262_144;
const aliveMs = 20_000;
/** Pages reconnect immediately; clients that never read are dropped. */
const ageMaxMs = 3_600_000;
const reconnectMs = 2_000;
/** The number of events that may queue for an organisation. Beyond this, fetching everything is faster. */
const waitingMax = 1_000;
/** The most missed messages sent to one reconnecting stream, and to all. Beyond this, a stream gets `resync`. */
const missedMax = 200;
const missedOfAllMax = 20_000;
const outageMs = 1_000;

/** The streams that this process serves. */
export type Streams = {
  /** Opens a stream for an actor, starting with the events after a position, if given. Throws `too_many_streams`. */
  open: (actor: Actor, after: string | undefined) => Promise<Readable>;
  close: () => void;
};

type Stream = {
  sessionId: string;
  userId: string;
  /** The organisation's message count when the stream opened. It gets earlier messages only if it missed them. */
  since: number;
  write: (bytes: string | Buffer) => void;
  end: () => void;
};
/** A message, and its position in the stream. */
type Message = { what: Change | { kind: "resync" } | { kind: "alive" }; position: string | undefined };
/** Messages to send: to all streams that were open when they arrived, and to each stream the ones that it missed. */
type Waiting = { messages: Message[]; missed: Map<Stream, Message[]> };
type Audience = { streams: Set<Stream>; messages: number; waiting: Waiting; isSending: boolean };

/**
 * Sends changes as server-sent events to the streams of their organisation. When a message is sent, its cards are read
 * once for all streams of the organisation, together with the sessions that still have access. Streams of other
 * sessions end first.
 */
export function serveStreams(deps: Deps): Streams {
  const { listening, log } = deps;
  const audiences = new Map<string, Audience>();
  const countOf = new Map<string, number>();
  const closing = new AbortController();

  const listener: Listener = {
    onGap: () => {
      for (const [organisationId, audience] of audiences) resync(organisationId, audience);
    },
    onNotification: (heard) => {
      if ("endedSessionId" in heard) {
        for (const { streams } of audiences.values())
          for (const stream of streams) if (stream.sessionId === heard.endedSessionId) stream.end();
      } else if ("change" in heard) {
        const audience = audiences.get(heard.organisationId);
        if (audience) add(heard.organisationId, audience, { what: heard.change, position: heard.id });
      }
    },
  };
  const alive = setInterval(() => {
    for (const [organisationId, audience] of audiences) add(organisationId, audience, now("alive"));
  }, aliveMs).unref();

  const now = (kind: "alive" | "resync"): Message => ({ what: { kind }, position: listening.position() });

  function add(organisationId: string, audience: Audience, message: Message) {
    audience.messages++;
    audience.waiting.messages.push(message);
    if (audience.waiting.messages.length > waitingMax) return resync(organisationId, audience);
    if (!audience.isSending) void sendWaiting(organisationId, audience);
  }

  function resync(organisationId: string, audience: Audience) {
    audience.waiting = nothing();
    add(organisationId, audience, now("resync"));
  }

  /** Sends waiting events, one batch at a time, so that later events were read later. */
  async function sendWaiting(organisationId: string, audience: Audience) {
    audience.isSending = true;
    while (audience.waiting.messages.length + audience.waiting.missed.size > 0 && audience.streams.size > 0) {
      const { waiting } = audience;
      audience.waiting = nothing();
      try {
        await sendBatch(organisationId, audience, waiting, audience.messages - waiting.messages.length);
      } catch (error) {
        log.warn({ err: error }, "could not announce changes to dashboards");
        await sleep(outageMs, undefined, { signal: closing.signal }).catch(() => {});
        if (closing.signal.aborted) break;
        resync(organisationId, audience);
      }
    }
    audience.isSending = false;
  }

  /** Sends a batch. `before` is the organisation's message count before it. A stream gets its missed messages first. */
  async function sendBatch(organisationId: string, audience: Audience, { messages, missed }: Waiting, before: number) {
    const changes = [messages, ...missed.values()].flat().flatMap(({ what }) => (isOfTicket(what) ? [what] : []));
    const states = await readStates(
      deps,
      organisationId,
      [...new Set(changes.map(({ ticketId }) => ticketId))],
      [...new Set(changes.flatMap(columnsOf))],
    );
    const streams = [...audience.streams];
    const sessionIds = new Set(streams.map(({ sessionId }) => sessionId));
    const allowed = await findSessionsWithin(deps, organisationId, [...sessionIds]);
    const texts = new Map<Message["what"], string>(); // a message that several streams missed is serialised once
    const textOf = (message: Message) => {
      const text = texts.get(message.what) ?? render(message, states);
      texts.set(message.what, text);
      return text;
    };
    const textFor = (userId: string | undefined, missed: Message[]) =>
      Buffer.from(missed.flatMap((message) => (isFor(userId, message) ? [textOf(message)] : [])).join(""));
    const common = textFor(undefined, messages);
    const owners = new Set(messages.map(({ what }) => ownerOf(what)));
    for (const stream of streams) {
      const { userId, since } = stream;
      if (!allowed.has(stream.sessionId)) stream.end();
      else if (since <= before && !missed.has(stream) && !owners.has(userId)) stream.write(common);
      else
        stream.write(textFor(userId, [...(missed.get(stream) ?? []), ...messages.slice(Math.max(0, since - before))]));
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
      audience?.streams.delete(stream);
      if (audience?.streams.size === 0) audiences.delete(organisationId);
      const left = (countOf.get(sessionId) ?? 1) - 1;
      if (left > 0) countOf.set(sessionId, left);
      else countOf.delete(sessionId);
    };
    const stream: Stream = {
      sessionId,
      userId,
      since: 0,
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
    let audience: Audience | undefined;
    readable.on("close", stop);
    await ready().catch((error: unknown) => {
      stop();
      throw error;
    });
    if (closing.signal.aborted) stream.end();
    if (!open) return readable;
    audience = audiences.get(organisationId) ?? {
      streams: new Set(),
      messages: 0,
      waiting: nothing(),
      isSending: false,
    };
    audiences.set(organisationId, audience);
    audience.streams.add(stream);
    stream.since = audience.messages;
    // While missed messages are pending, no position is sent: a browser that disconnects before them must keep its old
    // one.
    const position = after === undefined ? listening.position() : undefined;
    stream.write(`retry: ${reconnectMs}\n${position === undefined ? "" : `id: ${position}\n`}\n`);
    if (after !== undefined) catchUp(organisationId, audience, stream, missedSince(organisationId, after));
    return readable;
  }

  function catchUp(organisationId: string, audience: Audience, stream: Stream, messages: Message[] | undefined) {
    const { missed } = audience.waiting;
    const waiting = [...missed.values()].reduce((count, { length }) => count + length, 0);
    const fits = messages && messages.length <= missedMax && waiting + messages.length <= missedOfAllMax;
    missed.set(stream, fits ? messages : [now("resync")]);
    if (!audience.isSending) void sendWaiting(organisationId, audience);
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

  const missedSince = (organisationId: string, after: string): Message[] | undefined =>
    listening
      .heardSince(after)
      ?.flatMap((heard) =>
        "change" in heard && heard.organisationId === organisationId
          ? [{ what: heard.change, position: heard.id }]
          : [],
      );

  return {
    open,
    close: () => {
      closing.abort();
      clearInterval(alive);
      listening.remove(listener);
      for (const { streams } of audiences.values()) for (const stream of streams) stream.end();
    },
  };
}

/** Events for one person, and about their own views, go to nobody else. */
const ownerOf = (what: Message["what"]) =>
  what.kind === "notices.changed" || what.kind === "views.changed" ? what.userId : undefined;

const isFor = (userId: string | undefined, { what }: Message) => (ownerOf(what) ?? userId) === userId;

const nothing = (): Waiting => ({ messages: [], missed: new Map() });

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
