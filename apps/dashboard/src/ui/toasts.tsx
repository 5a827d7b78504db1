import { CircleAlert, CircleCheck, X } from "lucide-react";
import { messageOf } from "../api/call.ts";
import { externalStore } from "../api/external-store.ts";
import { aboveBars } from "./bottom-bar.ts";
import { Button, IconButton } from "./button.tsx";

type Toast = {
  id: number;
  kind: "done" | "failed";
  text: string;
  undo?: (() => void) | undefined;
  about?: string | undefined;
};

const doneMs = 4_000;
/** Long enough to notice a mistake. */
const undoMs = 15_000;
const shownMax = 3;
const messagesId = "messages";
const toasts = externalStore<readonly Toast[]>([]);
let lastId = 0;

/** The changes that can be undone, latest last. Ctrl+Z undoes them even after their message is gone. */
const undoable: { id: number; undo: () => void }[] = [];
const undoableMax = 50;

const dismiss = (id: number) => toasts.set(toasts.get().filter((toast) => toast.id !== id));

/** Dismisses a message after a time, but not while the messages are hovered or focused. */
function dismissAfter(ms: number, id: number) {
  setTimeout(() => {
    if (document.getElementById(messagesId)?.matches(":hover, :focus-within")) dismissAfter(doneMs, id);
    else dismiss(id);
  }, ms);
}

function show(kind: Toast["kind"], text: string, undo?: () => void, about?: string): number {
  const id = ++lastId;
  toasts.set([...toasts.get(), { id, kind, text, undo, about }].slice(-shownMax));
  return id;
}

/** Shows for a short time that something was done. With `undo`, it shows for longer and has an Undo button. */
export function tellDone(text: string, undo?: () => void) {
  const id = show("done", text, undo);
  if (undo) undoable.push({ id, undo });
  if (undoable.length > undoableMax) undoable.shift();
  dismissAfter(undo ? undoMs : doneMs, id);
}

/** Undoes the last change, or that of a message. False if there is nothing to undo. */
export function undoLast(ofId = undoable.at(-1)?.id): boolean {
  const index = undoable.findIndex(({ id }) => id === ofId);
  const [last] = index < 0 ? [] : undoable.splice(index, 1);
  if (!last) return false;
  dismiss(last.id);
  last.undo();
  return true;
}

/**
 * Shows that something failed, and why. The message stays until it is dismissed or `tellWorked` is called with the same
 * `about`. `what` is a sentence without its period, such as "The card was moved back".
 */
export function tellFailed(what: string, error?: unknown, about?: string) {
  if (about !== undefined) tellWorked(about);
  show("failed", error === undefined ? `${what}.` : `${what}. ${messageOf(error)}`, undefined, about);
}

/** Dismisses the error about something that has worked since. */
export const tellWorked = (about: string): void => toasts.set(toasts.get().filter((toast) => toast.about !== about));

/** Dismisses all messages and undos, because they tell what the person did. */
export function dismissAll(): void {
  toasts.set([]);
  undoable.length = 0;
}

/** The messages, above the selection bar and the comment field. */
export function Toasts() {
  const shown = toasts.use();
  return (
    <section
      ref={aboveBars}
      id={messagesId}
      aria-label="Messages"
      aria-live="polite"
      className="messages pointer-events-none fixed inset-x-4 bottom-4 z-50 flex flex-col items-end gap-2 print:hidden"
    >
      {shown.map(({ id, kind, text, undo }) => (
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
          {undo && (
            <Button
              small
              look="quiet"
              aria-keyshortcuts="Control+z"
              title="Undo (Ctrl Z)"
              className="font-medium text-accent-ink"
              onClick={() => undoLast(id)}
            >
              Undo
            </Button>
          )}
          <IconButton label="Dismiss" className="size-7" onClick={() => dismiss(id)}>
            <X aria-hidden className="size-4" />
          </IconButton>
        </div>
      ))}
    </section>
  );
}
