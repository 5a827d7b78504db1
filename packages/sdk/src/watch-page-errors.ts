/** Calls back with every error and rejection that nobody in the page handles, until `signal` says so. */
export function watchPageErrors(hear: (error: unknown, how: string) => void, signal: AbortSignal): void {
  addEventListener(
    "error",
    ({ error, message, filename, lineno, colno }) => {
      // The browser says nothing of what a script of another origin throws.
      if (error || filename)
        hear(error ?? Object.assign(new Error(message), { stack: `${filename}:${lineno}:${colno}` }), "error");
    },
    { signal },
  );
  addEventListener("unhandledrejection", ({ reason }) => hear(reason, "rejection"), { signal });
}
