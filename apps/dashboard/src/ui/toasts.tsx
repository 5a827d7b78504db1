import { CircleAlert, CircleCheck, X } from "lucide-react";
import { useSyncExternalStore } from "react";
import { messageOf } from "../api/call.ts";
import { IconButton } from "./button.tsx";

type Toast = { id: number; kind: "done" | "failed"; text: string };

const doneMs = 4000;
const shownMax = 3;
let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]) {
  toasts = next;
  for (const listener of listeners) listener();
}

const dismiss = (id: number) => change(toasts.filter((toast) => toast.id !== id));

function show(kind: Toast["kind"], text: string): number {
  const id = ++lastId;
  change([...toasts, { id, kind, text }].slice(-shownMax));
  return id;
}

/** Says shortly that something was done. */
export function tellDone(text: string) {
  const id = show("done", text);
  setTimeout(() => dismiss(id), doneMs);
}

/** Says that something failed, and why; it stays until it is put away. `what` reads like "The card was put back". */
export function tellFailed(what: string, error?: unknown) {
  show("failed", error === undefined ? `${what}.` : `${what}. ${messageOf(error)}`);
}

/** Where these messages show. */
export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <section
      aria-label="Messages"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-4 bottom-4 z-50 flex flex-col items-end gap-2"
    >
      {shown.map(({ id, kind, text }) => (
        <div
          key={id}
          className="pointer-events-auto flex max-w-md items-start gap-2 rounded-lg border border-line bg-raised py-2 pr-2 pl-3 shadow-float"
        >
          {kind === "done" ? (
            <CircleCheck aria-hidden className="mt-1.5 size-4 shrink-0 text-accent-ink" />
          ) : (
            <CircleAlert aria-hidden className="mt-1.5 size-4 shrink-0 text-danger-ink" />
          )}
          <p className="min-w-0 flex-1 py-1 wrap-anywhere">{text}</p>
          <IconButton label="Dismiss" className="size-7" onClick={() => dismiss(id)}>
            <X aria-hidden className="size-4" />
          </IconButton>
        </div>
      ))}
    </section>
  );
}
