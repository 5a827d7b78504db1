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
/** A query that changes all the time is refetched immediately, then at most once a second. */
const spacingMs = 1_000;
/** After a gap every page refetches everything. This spreads the requests. */
const resyncSpreadMs = 2_000;
const reopenMs = 5_000;
/** Long enough for a server to restart without a notice on the page. */
const lostAfterMs = 4_000;
/** The server sends a heartbeat every 20 seconds. */
const silenceMsMax = 50_000;

/** A message between the tabs of a browser, on the broadcast channel `lodge`. */
export type Message =
  | { kind: "session.changed" }
  | { kind: "lost" }
  | { kind: "told"; organisationId: string; position: string; event: LiveEvent };

/** All tabs share one stream, because browsers open only six connections to an HTTP/1.1 host. */
const channel = new BroadcastChannel("lodge");
/** The user whose events this tab receives, and the last position. Kept while nothing listens, like the cached data. */
let listening: { organisationId: string; userId: string; position: string | null } | undefined;
/** The stale queries, and whether all of their data is stale or only new entries are missing. */
const stale = new Map<string, Extent>();
const fetchedAt = new Map<string, number>();
/** Whether a refetch after a gap is scheduled. Other events do not bring it forward. */
let isResyncing = false;
let next: { at: number; timer: ReturnType<typeof setTimeout> } | undefined;

type Extent = "whole" | "what is new";

declare module "@tanstack/react-query" {
  interface Register {
    /** Fetches only the new entries of a long list. */
    queryMeta: { fetchNew?: () => Promise<void> };
  }
}

// From the start, so that this tab misses no event while it fetches.
channel.addEventListener("message", ({ data }: MessageEvent<Message>) => receive(data));

/**
 * Keeps the organisation's data up to date while the component is mounted. Starts at the session's `position`, or
 * continues from the last event if it was mounted before, since the cached data is as old as that.
 */
export function useLiveUpdates(organisationId: string, userId: string, position: string | null) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the start position is read only once
  useEffect(() => {
    const goesOn = listening?.organisationId === organisationId && listening.userId === userId;
    if (!goesOn) listening = { organisationId, userId, position };
    return openSharedStream(organisationId);
  }, [organisationId, userId]);
}

/** Tells the other tabs, which share the session, that the person signed out or switched the organisation. */
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
  if ("userId" in event && event.userId !== listening.userId) return; // for another user
  if ("card" in event) applyTold(queryClient, event);
  invalidateSoon(keysAfter(event), coalesceMs, event.kind === "inbox.changed" ? "what is new" : "whole");
}

/** Refetches everything after a random delay, so that pages with the same gap do not do so together. */
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
      if (closing.signal.aborted) return resolve(); // closed just as this tab got the lock
      const close = openStream(organisationId);
      closing.signal.addEventListener("abort", () => {
        close();
        resolve();
      });
    });
  if ("locks" in navigator) {
    navigator.locks.request(`lodge-live-${organisationId}`, { signal: closing.signal }, hold).catch(() => {}); // closed before this tab got the lock
  } else void hold();
  return () => closing.abort();
}

/** Opens the stream on behalf of all tabs, and resumes it at the last position after an interruption. */
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
    clearTimeout(reopening); // so that a scheduled reconnection does not open a second one
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
      // The browser reconnects after a lost connection, but not after a response that is no event stream.
      if (source.readyState !== EventSource.CLOSED) return;
      void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }); // the session may have ended
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
