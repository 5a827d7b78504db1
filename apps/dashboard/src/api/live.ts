import { streamEvents } from "@lodge/contract/calls.generated";
import { type LiveEvent, liveEventKinds } from "@lodge/contract/dashboard/live-event";
import type { Query, QueryKey } from "@tanstack/react-query";
import { useEffect } from "react";
import { queryClient } from "./client.ts";
import { sessionQuery } from "./queries.ts";
import { keysAfter } from "./query.ts";
import { noteReached } from "./reach.ts";
import { applyTold } from "./told.ts";

const coalesceMs = 100;
/** Data that changes all the time is fetched at once, and then at most every second. */
const spacingMs = 1_000;
/** After a gap everybody fetches everything: not all in the same moment. */
const resyncSpreadMs = 2_000;
const reopenMs = 5_000;
/** A server that restarts is back by then, and no notice is needed. */
const lostAfterMs = 4_000;
/** The server says every 20 seconds that it is there. */
const silenceMsMax = 50_000;

/** A message between tabs of a browser on the channel named lodge. */
export type Message =
  | { kind: "session.changed" }
  | { kind: "lost" }
  | { kind: "told"; organisationId: string; position: string; event: LiveEvent };

/** All tabs of a browser share one stream: it opens only six connections to a host that speaks HTTP/1.1. */
const channel = new BroadcastChannel("lodge");
/** Up to where this tab has heard what, also while nothing listens: what is known then is as old as that. */
let listening: { organisationId: string; userId: string; position: string | null } | undefined;
/** The stale queries: whole, or only the part that an event has changed. */
const stale = new Map<string, Extent>();
const fetchedAt = new Map<string, number>();
/** A gap waits by itself: events in the meantime do not shorten it. */
let isResyncing = false;
let next: { at: number; timer: ReturnType<typeof setTimeout> } | undefined;

type Extent = "whole" | "what is new";

declare module "@tanstack/react-query" {
  interface Register {
    /** How a long list takes in what is new without being fetched whole; resolves when it has. */
    queryMeta: { fetchNew?: () => Promise<void> };
  }
}

// From the start: what another tab hears while this one fetches is for this one too.
channel.addEventListener("message", ({ data }: MessageEvent<Message>) => receive(data));

/**
 * Keeps what a person is shown of the organisation up to date while the component is mounted. `position` is the session's:
 * where it was mounted before, it goes on from there, since what was known then still is.
 */
export function useLiveUpdates(organisationId: string, userId: string, position: string | null) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: where the stream begins is decided once
  useEffect(() => {
    const goesOn = listening?.organisationId === organisationId && listening.userId === userId;
    if (!goesOn) listening = { organisationId, userId, position };
    return openSharedStream(organisationId);
  }, [organisationId, userId]);
}

/** Tells the other tabs of this browser, which share the session, that it has changed: signed out, or on another organisation. */
export const announceSessionChange = () => channel.postMessage({ kind: "session.changed" } satisfies Message);

function receive(message: Message) {
  if (message.kind === "lost") return noteReached("stream", false);
  if (message.kind === "session.changed") return invalidateSoon([sessionQuery.queryKey], coalesceMs);
  noteReached("stream", true);
  noteReached("requests", true);
  if (message.organisationId !== listening?.organisationId) return;
  const { event, position } = message;
  listening.position = position;
  if (event.kind === "resync") return resyncSoon();
  if (event.kind === "alive") return;
  if ("userId" in event && event.userId !== listening.userId) return; // it is somebody else's
  if ("card" in event) applyTold(queryClient, event);
  invalidateSoon(keysAfter(event), coalesceMs, event.kind === "inbox.changed" ? "what is new" : "whole");
}

/** Pages that hear of the same gap each wait for a random time. */
function resyncSoon() {
  if (isResyncing) return;
  isResyncing = true;
  setTimeout(() => {
    isResyncing = false;
    invalidateSoon([[]], 0);
  }, Math.random() * resyncSpreadMs);
}

function invalidateSoon(keys: readonly QueryKey[], ms: number, extent: Extent = "whole") {
  for (const queryKey of keys) {
    const key = JSON.stringify(queryKey);
    if (stale.get(key) !== "whole") stale.set(key, extent);
  }
  if (stale.size > 0) fetchStaleIn(ms);
}

function fetchStaleIn(ms: number) {
  const at = Date.now() + ms;
  if (next && next.at <= at) return;
  clearTimeout(next?.timer);
  next = { at, timer: setTimeout(fetchStale, ms) };
}

function fetchStale() {
  next = undefined;
  const now = Date.now();
  for (const [key, at] of fetchedAt) if (now - at >= spacingMs) fetchedAt.delete(key);
  for (const [key, extent] of stale) {
    if (fetchedAt.has(key)) continue;
    fetchedAt.set(key, now);
    stale.delete(key);
    const queryKey = JSON.parse(key) as QueryKey;
    const takesIn = (query: Query) => extent === "what is new" && query.isActive() && query.meta?.fetchNew;
    for (const query of queryClient.getQueryCache().findAll({ queryKey })) {
      if (takesIn(query)) void query.meta?.fetchNew?.();
    }
    void queryClient.invalidateQueries({ queryKey, predicate: (query) => !takesIn(query) });
  }
  const waits = [...stale.keys()].map((key) => (fetchedAt.get(key) ?? now) + spacingMs - now);
  if (waits.length > 0) fetchStaleIn(Math.min(...waits));
}

function openSharedStream(organisationId: string): () => void {
  const closing = new AbortController();
  const hold = () =>
    new Promise<void>((resolve) => {
      if (closing.signal.aborted) return resolve(); // given up just as it became this tab's turn
      const close = openStream(organisationId);
      closing.signal.addEventListener("abort", () => {
        close();
        resolve();
      });
    });
  if ("locks" in navigator) {
    navigator.locks.request(`lodge-live-${organisationId}`, { signal: closing.signal }, hold).catch(() => {}); // closed before it was this tab's turn
  } else void hold();
  return () => closing.abort();
}

/** Hears for all tabs, and goes on where they are after whatever comes between. */
function openStream(organisationId: string): () => void {
  let source: EventSource;
  let reopening: ReturnType<typeof setTimeout> | undefined;
  let losing: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;

  const pass = (message: Message) => {
    receive(message);
    channel.postMessage(message);
  };
  const tell = (event: LiveEvent, position: string) => {
    heard();
    pass({ kind: "told", organisationId, position, event });
  };
  const heard = () => {
    clearTimeout(losing);
    losing = undefined;
    clearTimeout(silence);
    silence = setTimeout(() => {
      lose();
      source.close();
      open();
    }, silenceMsMax);
  };
  const lose = () => {
    losing ??= setTimeout(() => pass({ kind: "lost" }), lostAfterMs);
  };
  const open = () => {
    clearTimeout(reopening); // whichever way it is opened, it is opened once
    const after = listening?.position ?? null;
    let isFirst = true;
    source = new EventSource(`${streamEvents.path}${after === null ? "" : `?${new URLSearchParams({ after })}`}`);
    for (const kind of liveEventKinds) {
      source.addEventListener(kind, ({ data, lastEventId }) => tell(JSON.parse(data) as LiveEvent, lastEventId));
    }
    source.addEventListener("open", () => {
      tell({ kind: after === null && isFirst ? "resync" : "alive" }, listening?.position ?? after ?? "");
      isFirst = false;
    });
    source.addEventListener("error", () => {
      lose();
      // The browser reconnects by itself after a cut, but not after an answer that is no stream.
      if (source.readyState !== EventSource.CLOSED) return;
      void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }); // it may have ended
      clearTimeout(reopening);
      reopening = setTimeout(open, reopenMs);
    });
  };
  open();
  return () => {
    for (const each of [reopening, losing, silence]) clearTimeout(each);
    source.close();
  };
}
