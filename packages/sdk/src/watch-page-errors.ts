/** Calls `hear` with every uncaught error and unhandled rejection of the page, until `signal` aborts. */
export function watchPageErrors(hear: (error: unknown, how: string) => void, signal: AbortSignal): void {
  addEventListener(
    "error",
    ({ error, message, filename, lineno, colno }) => {
      // The browser hides the errors of scripts of other origins.
      if (error || filename)
        hear(error ?? Object.assign(new Error(message), { stack: `${filename}:${lineno}:${colno}` }), "error");
    },
    { signal },
  );
  addEventListener("unhandledrejection", ({ reason }) => hear(reason, "rejection"), { signal });
}
