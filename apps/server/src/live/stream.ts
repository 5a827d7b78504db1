import { Readable } from "node:stream";
import type { LiveEvent } from "@lodge/contract/dashboard/live-event";
import type { Actor } from "../access/find-actor.ts";
import { Refusal } from "../platform/errors.ts";
import type { Listener, Listening } from "./listen.ts";

const streamsOfSessionMax = 8;
const unreadBytesMax = 262_144;
const heartbeatMs = 20_000;
/** A page reconnects at once; a client that never reads is gone for good. */
const ageMaxMs = 3_600_000;
const retryMs = 2_000;

/** The streams that this process serves. */
export type Streams = {
  /** Opens one for an actor. `mayStay` is asked now and then. Throws `too_many_streams`. */
  open: (actor: Actor, reconnected: boolean, mayStay: () => Promise<boolean>) => Promise<Readable>;
  close: () => void;
};

/** Serves what is heard as server-sent events, to each stream what happens in its organisation. */
export function serveStreams(listening: Listening): Streams {
  const ends = new Set<() => void>();
  const countOf = new Map<string, number>();

  async function open(actor: Actor, reconnected: boolean, mayStay: () => Promise<boolean>) {
    const count = countOf.get(actor.sessionId) ?? 0;
    if (count >= streamsOfSessionMax) throw new Refusal("too_many_streams");
    countOf.set(actor.sessionId, count + 1);

    const stream = new Readable({ read: () => {} });
    const write = (text: string) => {
      stream.push(text);
      if (stream.readableLength > unreadBytesMax) stream.destroy(); // it reconnects, and fetches everything
    };
    const send = (event: LiveEvent) => write(`event: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`);
    const end = () => {
      if (!stream.readableEnded && !stream.destroyed) stream.push(null);
      stop();
    };
    const check = () => void mayStay().then((may) => may || end(), end);
    const listener: Listener = {
      onGap: () => send({ kind: "resync" }),
      onNotification: (notification) => {
        if ("endedSessionId" in notification) {
          if (notification.endedSessionId === actor.sessionId) end();
        } else if (notification.organisationId === actor.organisationId) {
          send(notification.event);
          if (notification.event.kind === "members.changed") check();
        }
      },
    };
    const heartbeat = setInterval(() => {
      write(":\n\n");
      check();
    }, heartbeatMs);

    const ageLimit = setTimeout(end, ageMaxMs);

    let stopped = false;
    function stop() {
      if (stopped) return;
      stopped = true;
      clearInterval(heartbeat);
      clearTimeout(ageLimit);
      listening.remove(listener);
      ends.delete(end);
      const left = (countOf.get(actor.sessionId) ?? 1) - 1;
      if (left > 0) countOf.set(actor.sessionId, left);
      else countOf.delete(actor.sessionId);
    }
    stream.on("close", stop);
    ends.add(end);
    await listening.add(listener).catch((error: unknown) => {
      stop();
      throw error;
    });
    // An id, once: it makes a browser that reconnects say that it does.
    write(`retry: ${retryMs}\nid: 1\n\n`);
    if (reconnected) send({ kind: "resync" });
    return stream;
  }

  return {
    open,
    close: () => {
      for (const end of [...ends]) end();
    },
  };
}
