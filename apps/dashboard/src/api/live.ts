import { streamEvents } from "@lodge/contract/calls.generated";
import { type LiveEvent, liveEventKinds } from "@lodge/contract/dashboard/live-event";
import type { QueryKey } from "@tanstack/react-query";
import { useEffect } from "react";
import { queryClient } from "./client.ts";
import { sessionQuery } from "./queries.ts";
import { keysAfter } from "./query.ts";

const coalesceMs = 100;

type Message = LiveEvent | { kind: "session.changed" };

/** Keeps what is shown of the organisation up to date while the component is mounted. */
export function useLiveUpdates(organisationId: string) {
  useEffect(() => {
    const channel = new BroadcastChannel("lodge");
    const stale = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const receive = (message: Message) => {
      for (const key of keysOf(message)) stale.add(JSON.stringify(key));
      timer ??= setTimeout(() => {
        timer = undefined;
        for (const key of stale) void queryClient.invalidateQueries({ queryKey: JSON.parse(key) as QueryKey });
        stale.clear();
      }, coalesceMs);
    };
    channel.onmessage = (event: MessageEvent<Message>) => receive(event.data);
    const close = openSharedStream(organisationId, (event) => {
      receive(event);
      channel.postMessage(event);
    });
    return () => {
      close();
      channel.close();
      clearTimeout(timer);
    };
  }, [organisationId]);
}

/** Tells the other tabs of this browser, which share the session, that it has changed: signed out, or on another organisation. */
export function announceSessionChange() {
  const channel = new BroadcastChannel("lodge");
  channel.postMessage({ kind: "session.changed" } satisfies Message);
  channel.close();
}

/** One stream for all tabs: a browser opens only six connections to a host that speaks HTTP/1.1. */
function openSharedStream(organisationId: string, receive: (event: LiveEvent) => void): () => void {
  const closing = new AbortController();
  const listen = () =>
    new Promise<void>((resolve) => {
      if (closing.signal.aborted) return resolve(); // given up just as it became this tab's turn
      const stream = openStream(receive);
      closing.signal.addEventListener("abort", () => {
        stream.close();
        resolve();
      });
    });
  if ("locks" in navigator) {
    navigator.locks.request(`lodge-live-${organisationId}`, { signal: closing.signal }, listen).catch(() => {}); // closed before it was this tab's turn
  } else void listen();
  return () => closing.abort();
}

function openStream(receive: (event: LiveEvent) => void): { close: () => void } {
  const retryMs = 5000;
  let source: EventSource;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = () => {
    source = new EventSource(streamEvents.path);
    for (const kind of liveEventKinds) {
      source.addEventListener(kind, (event) => {
        receive({ ...(JSON.parse(event.data || "{}") as object), kind } as LiveEvent);
      });
    }
    // What happened between the first fetch of what is shown and now went unheard.
    source.addEventListener("open", () => receive({ kind: "resync" }));
    source.addEventListener("error", () => {
      // The browser reconnects by itself after a cut, but not after an answer that is no stream.
      if (source.readyState !== EventSource.CLOSED) return;
      receive({ kind: "resync" }); // it may be the session that has ended
      timer = setTimeout(open, retryMs);
    });
  };
  open();
  return {
    close: () => {
      clearTimeout(timer);
      source.close();
    },
  };
}

const keysOf = (message: Message): QueryKey[] =>
  message.kind === "session.changed" ? [sessionQuery.queryKey] : keysAfter(message);
