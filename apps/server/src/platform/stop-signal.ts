import type { Log } from "./observe/log.ts";

const secondSignalAfterMs = 1_000;
/** The time for requests to end (30 s), and then for the resources that they used. */
const endTimeoutMs = 39_000;

/** `asked` is aborted when this process is asked to stop, `insisted` when it is asked again. */
export type StopSignal = { asked: AbortSignal; insisted: AbortSignal };

/**
 * Ends this process 39 s plus `drainMs` after it was asked to stop, even if work is left: a service manager would kill
 * it next.
 */
export function endAtLast(asked: AbortSignal, log: Log, drainMs: number): void {
  asked.addEventListener("abort", () => {
    const end = () => {
      log.fatal("the shutdown took too long: unfinished work is abandoned");
      process.exit(1);
    };
    setTimeout(end, drainMs + endTimeoutMs).unref();
  });
}

/**
 * Listens for SIGINT, SIGTERM and SIGHUP (the terminal was closed). Signals within a second of the first one count as
 * one: a process that npm started gets Ctrl-C twice, from the terminal and from npm.
 */
export function listenForStop(): StopSignal {
  const asked = new AbortController();
  const insisted = new AbortController();
  let firstAt = 0;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (!asked.signal.aborted) {
        firstAt = performance.now();
        asked.abort(signal);
      } else if (performance.now() - firstAt >= secondSignalAfterMs) insisted.abort(signal);
    });
  }
  return { asked: asked.signal, insisted: insisted.signal };
}
